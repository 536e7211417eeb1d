/** Calls whose target exists only at run time, by language: reflection, loading by name, calls of a computed name. */

import type { FactsBuilder } from '#ingest/source'

const ES =
  /(?:^|\.)(?:Reflect\.(?:apply|construct|get)|importScripts|vm\.(?:runInContext|runInNewContext|runInThisContext|Script)|executeScript)$|\[\]$/
const JVM =
  /(?:^|\.)(?:forName|loadClass|getMethod|getDeclaredMethod|getConstructor|getDeclaredConstructor|newInstance|invokeExact|findVirtual|findStatic|newProxyInstance|ServiceLoader\.load|getBean|declaredMemberFunctions|declaredFunctions|memberFunctions|callBy|createInstance|primaryConstructor)$/

const CALLS: Readonly<Record<string, RegExp>> = {
  python:
    /^(?:runpy\.run_(?:path|module)|import_string|import_from_string|load_object|locate|pydoc\.locate|resolve_name|pkgutil\.resolve_name|operator\.(?:methodcaller|attrgetter)|methodcaller|attrgetter)$|\.(?:load_module|exec_module|spec_from_file_location|iter_entry_points|entry_points|import_string|load_object|load_entry_point)$|\[\]$/,
  typescript: ES,
  tsx: ES,
  javascript: ES,
  go: /^plugin\.Open$|\.(?:MethodByName|FieldByName|Lookup|CallSlice)$|^reflect\..*\.(?:Call|Method)$/,
  rust: /(?:^|\.)(?:Library\.new|libloading\..*|dlopen|dlsym|get_proc_address)$/,
  java: JVM,
  kotlin: JVM,
  scala: JVM,
  csharp:
    /(?:^|\.)(?:CreateInstance|CreateInstanceFrom|GetMethod|GetType|InvokeMember|LoadFrom|LoadFile|Assembly\.Load|DynamicInvoke|GetConstructor|MakeGenericType|GetRequiredService|GetService)$/,
  swift: /^(?:NSClassFromString|NSSelectorFromString|Selector|dlsym)$|\.perform$/,
  php: /^(?:call_user_func|call_user_func_array|eval|create_function)$|(?:^|\.)(?:newInstance|newInstanceArgs|newInstanceWithoutConstructor|invoke|invokeArgs)$/,
  ruby: /(?:^|\.)(?:send|public_send|__send__|define_method|instance_eval|class_eval|module_eval|instance_exec|const_get|constantize|safe_constantize|eval)$/,
  c: /^(?:dlsym|dlopen|GetProcAddress|LoadLibrary[AW]?|g_module_symbol)$/,
  cpp: /(?:^|\.)(?:dlsym|dlopen|GetProcAddress|LoadLibrary[AW]?|invokeMethod)$/,
  lua: /^(?:load|loadstring|dofile|loadfile)$|\[\]$/,
}

/** Records such calls with the line on which they stand; those that a language module told of are kept. */
export function findDynamicCalls(builder: FactsBuilder): void {
  const { facts, source } = builder
  const calls = CALLS[facts.language]
  if (calls === undefined) return
  const told = new Set(facts.dynamic.map((it) => it.line))
  for (const { relation, path, line } of facts.references) {
    if (relation !== 'calls' || told.has(line) || !calls.test(path)) continue
    told.add(line)
    builder.dynamic(line, lineOf(source.text, source.lineStarts, line))
  }
  facts.dynamic.sort((a, b) => a.line - b.line)
}

function lineOf(text: string, starts: Uint32Array, line: number): string {
  return text.slice(starts[line - 1], line < starts.length ? starts[line] : undefined).trim()
}
