import type { RootRule } from '#ingest/roots/rule'

export const GO: readonly RootRule[] = [
  { kind: 'program_start', of: 'function', member: false, name: /^init$/ },
  {
    kind: 'test_runner',
    tags: ['test'],
    of: 'function',
    member: false,
    path: /_test\.go$/,
    name: /^(?:Test|Benchmark|Fuzz|Example)(?:[^a-z]\w*)?$/,
  },
  {
    kind: 'test_runner',
    of: 'function',
    path: /_test\.go$/,
    name: /^(?:SetupSuite|TearDownSuite|SetupTest|TearDownTest|SetupSubTest|TearDownSubTest|BeforeTest|AfterTest|SetUpTest|SetUpSuite|Test[A-Z]\w*)$/,
    member: true,
  },
  // methods through which the standard library calls back
  { kind: 'http_handler', tags: ['route'], of: 'function', member: true, name: /^ServeHTTP$/, arity: 2 },
  {
    kind: 'standard_interface',
    of: 'function',
    member: true,
    arity: 0,
    name: /^(?:Error|String|GoString|MarshalJSON|MarshalText|MarshalBinary|MarshalYAML|GobEncode|Len|Pop|Close|ReadByte|ReadRune|UnreadByte|UnreadRune|Unwrap|Lock|Unlock|Done|Err|Deadline|Timeout|Temporary|Flush|Hijack|LogValue|Accept|Addr|Int63|Uint64)$/,
  },
  {
    kind: 'standard_interface',
    of: 'function',
    member: true,
    arity: 1,
    name: /^(?:UnmarshalJSON|UnmarshalText|UnmarshalBinary|UnmarshalYAML|GobDecode|Read|Write|ReadFrom|WriteTo|WriteByte|WriteRune|WriteString|WriteHeader|Push|Scan|Set|Is|As|Open|ReadDir|ReadFile|Glob|Sub|Sum|RoundTrip|WithAttrs|WithGroup)$/,
  },
  {
    kind: 'standard_interface',
    of: 'function',
    member: true,
    arity: 2,
    name: /^(?:Less|Swap|Seek|ReadAt|WriteAt|Format|Scan|MarshalXML|UnmarshalXML|MarshalXMLAttr|Handle|Enabled|Push|Reconcile)$/,
  },
  { kind: 'native_code', of: 'function', head: /^\/\/export\s/m, imports: /^C$/ },
]

export const RUST: readonly RootRule[] = [
  {
    kind: 'test_runner',
    tags: ['test'],
    of: 'function',
    marker: /(?:^|\.)(?:test|bench|rstest|test_case|quickcheck|proptest|wasm_bindgen_test|test_log|case|fixture)$/,
  },
  {
    kind: 'program_start',
    tags: ['entrypoint'],
    of: 'function',
    marker: /(?:^|\.)(?:main|start|entry|launch|shuttle_runtime.main)$/,
  },
  {
    kind: 'native_code',
    of: 'any',
    marker:
      /(?:^|\.)(?:no_mangle|export_name|panic_handler|global_allocator|alloc_error_handler|wasm_bindgen|pyfunction|pymethods|pymodule|pyclass|pyo3|napi|uniffi.export|magnus.init|rustler.nif|interrupt|exception|ctor|dtor|used|jni_fn)$/,
  },
  { kind: 'compiler', of: 'function', marker: /^proc_macro(?:_derive|_attribute)?$/ },
  {
    kind: 'http_route',
    tags: ['route'],
    of: 'function',
    marker:
      /(?:^|\.)(?:get|post|put|delete|patch|head|options|trace|connect|route|routes|catch|handler|endpoint|oai|rocket.get|websocket)$/,
  },
  {
    kind: 'framework_handler',
    of: 'function',
    marker:
      /(?:^|\.)(?:command|tauri.command|poise.command|component|server|function_component|hook|event|group|debug_handler|lambda|job|task)$/,
  },
]

export const C: readonly RootRule[] = [
  {
    kind: 'program_start',
    tags: ['entrypoint'],
    of: 'function',
    name: /^(?:w?main|w?WinMain|DllMain|_start|SDL_main|app_main)$/,
    member: false,
  },
  { kind: 'test_runner', of: 'function', name: /^LLVMFuzzer\w+$/ },
  {
    kind: 'test_runner',
    tags: ['test'],
    of: 'any',
    name: /^(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|BENCHMARK|BENCHMARK_F|TEST_CASE|SCENARIO|BOOST_AUTO_TEST_CASE)$/,
  },
  {
    kind: 'native_code',
    of: 'function',
    name: /^(?:Java_\w+|JNI_On(?:L|Unl)oad|PyInit_\w+|luaopen_\w+|Init_\w+|napi_register_module_v\d+|get_module)$/,
  },
  {
    kind: 'native_code',
    of: 'function',
    head: /\b(?:JNIEXPORT|EMSCRIPTEN_KEEPALIVE|__declspec\s*\(\s*dllexport\s*\)|PyMODINIT_FUNC|__attribute__\s*\(\(\s*(?:constructor|destructor|used|interrupt)|ISR\s*\()/,
  },
  {
    kind: 'language_protocol',
    of: 'function',
    name: /^(?:operator\b.*|~\w+|begin|end|swap|hash_value|to_json|from_json|AbslHashValue|PrintTo)$/,
  },
]

export const SWIFT: readonly RootRule[] = [
  {
    kind: 'language_protocol',
    of: 'function',
    member: true,
    name: /^(?:init|deinit|hash|encode|subscript|callAsFunction|makeIterator|next|==|<)$/,
  },
  { kind: 'program_start', tags: ['entrypoint'], of: 'any', marker: /^(?:main|UIApplicationMain|NSApplicationMain)$/ },
  {
    kind: 'objective_c',
    of: 'any',
    marker: /^(?:objc|objcMembers|IBAction|IBSegueAction|_cdecl|_silgen_name|available_to_objc)$/,
  },
  { kind: 'test_runner', tags: ['test'], of: 'function', marker: /^(?:Test|Suite)$/ },
  { kind: 'test_runner', of: 'function', base: /XCTestCase$/, name: /^(?:test\w*|setUp\w*|tearDown\w*)$/ },
  {
    kind: 'component_lifecycle',
    of: 'function',
    base: /(?:ViewController|View|Delegate|DataSource|Cell|App|Scene|ViewModifier|Operation)$/,
    name: /^(?:view(?:Did|Will)\w+|loadView|layoutSubviews|draw|awakeFromNib|prepareForReuse|application\w*|scene\w*|body|makeBody|makeUIView\w*|updateUIView\w*|makeCoordinator|main|didReceive\w*|tableView|collectionView|numberOf\w+)$/,
  },
]

export const LUA: readonly RootRule[] = [
  {
    kind: 'language_protocol',
    of: 'function',
    name: /^__(?:index|newindex|call|tostring|len|eq|lt|le|add|sub|mul|div|mod|pow|unm|concat|gc|close|pairs|ipairs|metatable|mode|name)$/,
  },
  { kind: 'game_loop', of: 'function', within: /^love$/, name: /^\w+$/ },
]
