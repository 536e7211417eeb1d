/** Python: package roots, relative dots, submodules, namespace packages, `__all__`. */

import type { Import } from '#ingest/facts'
import type { Ecosystem } from '#ingest/resolve/ecosystem'
import { isGlobal } from '#ingest/resolve/builtins'
import { ancestors, baseName, directoryOf, filesOf, foldersOf, type Host, joinPath } from '#ingest/resolve/host'
import { type Held, MapSlot } from '#ingest/resolve/memo'
import { ENTRY_DEFINITION } from '#ingest/resolve/program'
import { builtin, external, isOpaque, MODULE, moduleOf, packageOf, unknown, type Value } from '#ingest/resolve/value'

const STANDARD = new Set(
  `__future__ abc aifc argparse array ast asyncio atexit audioop base64 bdb binascii bisect builtins bz2 calendar cgi cgitb chunk cmath
  cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg cProfile crypt
  csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler
  fcntl filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html
  http imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap
  marshal math mimetypes mmap modulefinder msvcrt multiprocessing netrc nis nntplib ntpath numbers opcode operator optparse os
  ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd
  py_compile pyclbr pydoc queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve
  shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 ssl stat statistics string stringprep struct
  subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading time timeit tkinter
  token tokenize tomllib trace traceback tracemalloc tty turtle types typing typing_extensions unicodedata unittest urllib uu uuid
  venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo _thread`.split(
    /\s+/,
  ),
)
const SELF = new Set(['self'])
const CLS = new Set(['cls'])
const SUPER = new Set(['super'])

export function pythonEcosystem(host: Host): Ecosystem {
  const { program } = host
  const files = filesOf(program, new Set(['python']))
  const paths = files.map((it) => program.paths[it])
  const folders = foldersOf(paths)
  const modules = new Map<string, number>()
  const packageFolders = new Set<string>()
  for (const file of files) {
    const path = program.paths[file]
    const stem = path.replace(/\.pyi?$/, '')
    const name = baseName(stem) === '__init__' ? directoryOf(stem) : stem
    if (baseName(stem) === '__init__') packageFolders.add(name)
    // a stub file stands for its module only when there is no source
    if (!modules.has(name) || path.endsWith('.py')) modules.set(name, file)
  }
  const roots = findRoots(packageFolders, folders)
  const declared = declaredPackages(program.project.configFiles)
  const bySuffix = new Map<string, number[]>()
  for (const [name, file] of modules) {
    const last = baseName(name)
    const list = bySuffix.get(last)
    if (list) list.push(file)
    else bySuffix.set(last, [file])
  }

  const namespaces = new Map<string, Value>()
  function namespace(folder: string): Value {
    let value = namespaces.get(folder)
    if (value === undefined) {
      value = packageOf(program.packages.length)
      program.packages.push({
        name: folder,
        files: [],
        always: false,
        member: (name) => find(folder === '' ? name : `${folder}/${name}`),
      })
      namespaces.set(folder, value)
    }
    return value
  }

  /** The module or folder of modules at a path without extension. */
  function find(path: string): Value | undefined {
    const file = modules.get(path)
    if (file !== undefined) return moduleOf(file)
    return folders.has(path) && path !== '' ? namespace(path) : undefined
  }

  /** The longest part of the dotted path below a folder that is a file, and its members for the rest. */
  function below(folder: string, segments: readonly string[]): Value | undefined {
    const prefix = folder === '' ? '' : `${folder}/`
    const whole = modules.get(prefix + segments.join('/'))
    if (whole !== undefined) return moduleOf(whole)
    for (let n = segments.length - 1; n > 0; n--) {
      const file = modules.get(prefix + segments.slice(0, n).join('/'))
      if (file === undefined) continue
      let value: Value | undefined = moduleOf(file)
      for (const name of segments.slice(n)) value = value && host.evaluator().member(value, name)
      return isOpaque(value) ? moduleOf(file) : value
    }
    return undefined
  }

  const absolute = new Map<string, Value | Held<Value>>()
  function resolveAbsolute(file: number, dotted: string): Value {
    const folder = directoryOf(program.paths[file])
    const key = `${folder}\0${dotted}`
    const { memo } = host.evaluator()
    const known = absolute.get(key)
    if (known !== undefined) return memo.read(known)
    return memo.work(new MapSlot(absolute, key), null, () => searchAbsolute(folder, dotted))
  }

  function searchAbsolute(folder: string, dotted: string): Value {
    const segments = dotted.split('.')
    const near = ancestors(folder).filter((it) => !packageFolders.has(it))
    for (const root of near) {
      const found = below(root, segments)
      if (found !== undefined) return found
    }
    if (STANDARD.has(segments[0])) return external(segments[0])
    for (const root of roots) {
      const found = below(root, segments)
      if (found !== undefined) return found
    }
    const path = segments.join('/')
    for (const root of [...near, ...roots]) {
      const whole = root === '' ? path : `${root}/${path}`
      if (folders.has(whole)) return namespace(whole)
    }
    if (declared.has(normalName(segments[0]))) return external(segments[0])
    const alike = (bySuffix.get(segments[segments.length - 1]) ?? []).filter((it) => {
      const stem = program.paths[it].replace(/(\/__init__)?\.pyi?$/, '')
      return stem.endsWith(`/${path}`)
    })
    if (alike.length === 1) return moduleOf(alike[0])
    return external(segments[0])
  }

  function resolveModule(file: number, written: string): Value {
    let dots = 0
    while (written[dots] === '.') dots++
    if (dots === 0) return resolveAbsolute(file, written)
    let folder: string | null = directoryOf(program.paths[file])
    for (let i = 1; i < dots; i++) folder = folder === '' || folder === null ? null : directoryOf(folder)
    if (folder === null) return unknown
    const rest = written.slice(dots)
    if (rest === '') return find(folder) ?? namespace(folder)
    return below(folder, rest.split('.')) ?? find(joinPath(folder, rest.replaceAll('.', '/')) ?? '') ?? unknown
  }

  function exported(file: number, name: string): Value | undefined {
    const scope = program.nDefs + file
    const evaluator = host.evaluator()
    if (program.scopes[scope]?.get(name)?.kind === ENTRY_DEFINITION) return evaluator.nameIn(scope, name)
    const value = evaluator.fileName(file, name)
    if (value !== undefined && !isOpaque(value)) return value
    const path = program.paths[file]
    if (/(^|\/)__init__\.pyi?$/.test(path)) {
      const folder = directoryOf(path)
      const submodule = find(folder === '' ? name : `${folder}/${name}`)
      if (submodule !== undefined) return submodule
    }
    return value
  }

  return {
    name: 'pypi',
    module: (file, item) => resolveModule(file, item.module),
    imported(file: number, item: Import) {
      // `import shop.db` binds `shop`
      if (item.name !== '' || !item.module.includes('.') || item.module.startsWith('.')) return undefined
      const first = item.module.slice(0, item.module.indexOf('.'))
      return item.alias === first || item.alias === item.module ? resolveModule(file, first) : undefined
    },
    exported,
    starred(file, name) {
      const { exports } = program.facts[file]
      const listed = exports.length > 0 ? exports.some((it) => it.name === name) : !name.startsWith('_')
      if (!listed) return undefined
      const value = exported(file, name)
      // a module that merely lies beside is not brought in
      return value?.kind === MODULE && exports.length === 0 && program.scopes[program.nDefs + file]?.has(name) !== true
        ? undefined
        : value
    },
    ambient: (_file, name) => (isGlobal('python', name) ? builtin : undefined),
    selfNames: SELF,
    ownClassNames: CLS,
    superNames: SUPER,
    bodySeesFields: true,
    implicitThis: false,
    modulesAreClosed: false,
    closedWorld: true,
  }
}

/** Folders from which a top-level package can be imported; shallow ones first. */
function findRoots(packageFolders: ReadonlySet<string>, folders: ReadonlySet<string>): string[] {
  const roots = new Set<string>([''])
  for (const folder of packageFolders) {
    const above = directoryOf(folder)
    if (folder !== '' && !packageFolders.has(above)) roots.add(above)
  }
  for (const folder of ['src', 'lib', 'python']) if (folders.has(folder)) roots.add(folder)
  return [...roots].sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
}

function normalName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '_')
}

/** Names of required distributions, as far as a text search of the manifests tells. */
function declaredPackages(configFiles: ReadonlyMap<string, string>): Set<string> {
  const names = new Set<string>()
  for (const [path, text] of configFiles) {
    if (!/(pyproject\.toml|setup\.cfg|setup\.py)$/.test(path)) continue
    for (const match of text.matchAll(/["'\s]([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*(?:[><=~!]=?[^"'\n]*)?["'\n]/g))
      names.add(normalName(match[1]))
  }
  return names
}
