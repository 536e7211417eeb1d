/** What is known about types and methods that languages bring along. */

import { containerOf, functionOf, resultOf, unknown, type Value } from '#ingest/resolve/value'

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Types whose last argument is what they hold. */
const CONTAINERS = words(`
  Array ReadonlyArray List list Sequence MutableSequence Iterable Iterator Collection AsyncIterator AsyncIterable Generator
  AsyncGenerator set Set frozenset FrozenSet AbstractSet MutableSet tuple Tuple deque Deque dict Dict Mapping MutableMapping
  defaultdict OrderedDict Map ReadonlyMap WeakMap WeakSet HashMap HashSet BTreeMap BTreeSet Vec VecDeque LinkedHashMap TreeMap
  ConcurrentHashMap ArrayList LinkedList Queue Stack ArrayDeque Stream Record MutableList MutableMap MutableSet Seq IndexedSeq
  Vector IEnumerable IList ICollection IReadOnlyList IReadOnlyCollection IDictionary Dictionary vector map unordered_map
  unordered_set list_of span Entry Pair KeyValuePair Slice slice Iter IntoIter Enumerable chan`)
/** Types that stand for their argument. */
const TRANSPARENT = words(`
  Promise PromiseLike Awaitable Coroutine Optional Option Result Box Rc Arc Ref RefMut RefCell Cell Mutex RwLock Cow Annotated
  ClassVar Final Required NotRequired ReadOnly Readonly Partial NonNullable Awaited Future CompletableFuture Task ValueTask Lazy
  CompletionStage AtomicReference WeakReference SoftReference ThreadLocal Mono Nullable shared_ptr unique_ptr weak_ptr optional reference_wrapper Pin Weak MutexGuard ContextManager AbstractContextManager
  AsyncContextManager Supplier Provider Some Ok`)
const PRIMITIVES = words(`
  str int float bool bytes complex object None string number boolean symbol bigint any void never unknown undefined null String
  Number Boolean Integer Long Double Float Char Character Byte Short Object Any Unit Nothing Int UInt Bool char short long double
  unsigned signed size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t u8 u16 u32 u64 u128 usize i8
  i16 i32 i64 i128 isize f32 f64 error rune byte uint uintptr decimal var auto let self Data Date URL console print println
  Math JSON mixed array callable iterable std System`)

const ELEMENT = words(`
  get pop first last at find findLast shift next peek poll remove element elementAt getFirst getLast unwrap popleft setdefault
  get_mut front back First Last Single FirstOrDefault LastOrDefault SingleOrDefault firstOrNull lastOrNull single nth min max
  getOrDefault computeIfAbsent getValue removeFirst removeLast value Value entry or_insert or_default expect head item`)
const SAME = words(`
  filter slice reverse sort sorted values iter iter_mut into_iter stream concat copy toSorted toReversed splice valueSeq collect
  rev skip take drop distinct peekable cloned toList toSet toArray to_vec Where OrderBy OrderByDescending ToList ToArray Skip Take
  Concat Distinct reversed limit subList union intersection difference drain lock read write borrow borrow_mut as_ref as_mut
  clone into flat asSequence sortedBy iterator`)

export function isContainerType(name: string): boolean {
  return CONTAINERS.has(name)
}

export function isTransparent(name: string): boolean {
  return TRANSPARENT.has(name)
}

export function isPrimitive(name: string): boolean {
  return PRIMITIVES.has(name)
}

/** Methods that hand each element to a function. */
const EACH = words(`
  map forEach filter find findLast findIndex findLastIndex some every flatMap sort toSorted each forEachIndexed filterNot any all
  none partition groupBy sortedBy takeWhile dropWhile`)
/** Methods that hand what was gathered so far and an element to a function. */
const GATHER = words('reduce reduceRight fold foldLeft inject')

/** What `for it := range` gives as the only variable: `key`; else one of several results by its number. */
function partOf({ name, args }: Value, part: string): Value | undefined {
  if (part === 'key') return name === 'chan' || args.length > 1 ? args[0] : undefined
  return name === 'Tuple' ? args[Number(part)] : undefined
}

/** A method of a list or map that gives an element or the like of itself; undefined for all others. */
export function builtinMember(value: Value, name: string): Value | undefined {
  if (value.args.length === 0) return undefined
  if (name.startsWith('#')) return partOf(value, name.slice(1))
  const held = value.args[value.args.length - 1]
  const callback = EACH.has(name)
    ? functionOf(unknown, name === 'sort' || name === 'toSorted' ? [held, held] : [held])
    : GATHER.has(name)
      ? functionOf(unknown, [unknown, held])
      : undefined
  if (ELEMENT.has(name) || (TRANSPARENT.has(value.name) && UNWRAPPING.has(name))) return resultOf(held, callback)
  if (name === 'keys' || name === 'keySet') return resultOf(containerOf('List', [value.args[0]]))
  if (name === 'items' && value.args.length === 2)
    return resultOf(containerOf('list', [containerOf('tuple', value.args)]))
  if (name === 'entrySet' || name === 'entries')
    return resultOf(containerOf('List', [containerOf('Entry', value.args)]))
  if (SAME.has(name)) return resultOf(containerOf(value.args.length > 1 ? 'List' : value.name, [held]), callback)
  return callback === undefined ? undefined : resultOf(containerOf('Array', []), callback)
}

const UNWRAPPING = words(`
  get unwrap expect orElse orElseThrow orElseGet getOrThrow await value join lock read write borrow borrow_mut as_ref as_mut clone
  cloned unwrap_or unwrap_or_default unwrap_or_else to_owned into_inner iter into_iter deref load`)

/** Methods of wrappers that types leave out, `Optional` and the like: they give what is wrapped. */
export function isUnwrapping(name: string): boolean {
  return UNWRAPPING.has(name)
}

/** Methods that so many types have that a call says nothing about its target when the receiver is unknown. */
const COMMON_METHODS = words(`
  get set add has delete push pop map filter reduce forEach then catch join split format append extend keys values items close open
  read write log print len str int strip lstrip rstrip startswith endswith startsWith endsWith replace find index indexOf count copy
  update clear lower upper encode decode insert remove sort sorted reverse toString equals hashCode compareTo slice splice concat
  includes trim toLowerCase toUpperCase match test exec apply call bind some every finally next length size isEmpty contains put
  substring charAt stream collect iterator hasNext toArray clone unwrap expect iter into_iter as_str as_ref to_string to_owned into
  from is_empty is_some is_none is_ok is_err ok err unwrap_or and_then or_else map_err cloned unwrap_or_else push_str chars lines
  bytes parse first last any all sum min max zip enumerate fold take skip chain rev flush send recv lock wait start stop run exit
  Error String Len Close Read Write Lock Unlock Add Done Wait Get Set Put Name append setdefault popitem discard group groups sub
  search findall finditer isdigit isalpha title capitalize zfill splitlines partition rpartition exists mkdir name value type id
  text json data info warn warning error debug trace fatal assert emit on off once addEventListener removeEventListener
  querySelector getElementById appendChild toBe toEqual execute commit rollback fetchone fetchall cursor setUp tearDown
  assertEqual assertTrue assertFalse assertRaises assertIn isinstance flat flatMap at fill from entries abs round ceil floor
  getName getValue getClass valueOf ordinal printStackTrace getMessage to_s to_sym to_i to_a each each_with_index select reject
  as_path as_os_str to_path_buf file_name parent extension components is_file is_dir metadata canonicalize display default eq ne cmp
  partial_cmp hash fmt drop peek by_ref flatten filter_map find_map position windows chunks split_at swap retain dedup truncate
  resize reserve capacity splitn rsplit trim_end trim_start strip_prefix strip_suffix char_indices elapsed as_secs duration_since
  load store fetch_add spawn try_recv is_none_or is_some_and to_vec as_slice as_bytes starts_with ends_with as_mut borrow_mut
  hasOwnProperty isPrototypeOf toLocaleString constructor 
  nil? empty? new inspect freeze dup puts send respond_to? is_a? present? blank? merge fetch key? any? all? include? first`)

export function isCommonMethod(name: string): boolean {
  return COMMON_METHODS.has(name)
}

const GLOBALS = new Map<string, ReadonlySet<string>>([
  [
    'python',
    words(`
  abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir divmod
  enumerate eval exec filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter
  len list locals map max memoryview min next object oct open ord pow print property range repr reversed round set setattr slice
  sorted staticmethod str sum super tuple type vars zip __import__ NotImplemented Ellipsis exit quit self cls
  ArithmeticError AssertionError AttributeError BaseException BlockingIOError BrokenPipeError BufferError BytesWarning
  ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError
  EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit
  IOError ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt
  LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError
  PendingDeprecationWarning PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError
  RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError
  UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError
  Warning ZeroDivisionError __name__ __file__ __doc__ __package__ __path__ None True False`),
  ],
  [
    'php',
    words(`
  count strlen implode explode array_map array_filter array_merge array_keys array_values in_array isset empty is_array is_string
  is_null sprintf printf str_replace substr trim json_encode json_decode file_get_contents file_put_contents var_dump print_r
  date time strtolower strtoupper ucfirst preg_match preg_replace array_key_exists define defined function_exists class_exists
  method_exists Exception RuntimeException InvalidArgumentException LogicException Closure stdClass ArrayAccess Countable
  Iterator IteratorAggregate JsonSerializable Throwable Traversable DateTime DateTimeImmutable DateTimeInterface`),
  ],
  [
    'ruby',
    words(`
  puts print p require require_relative raise attr_accessor attr_reader attr_writer include extend private public protected
  lambda proc loop format sprintf rand sleep exit abort catch throw block_given? Integer Float String Array Hash Kernel Object
  Class Module Struct Comparable Enumerable Exception StandardError ArgumentError RuntimeError TypeError NotImplementedError Time
  File Dir IO Math Regexp Symbol Proc Set JSON`),
  ],
  [
    'c',
    words(`
  printf fprintf sprintf snprintf puts malloc calloc realloc free memcpy memmove memset memcmp strlen strcmp strncmp strcpy strncpy
  strcat strchr strrchr strstr strdup fopen fclose fread fwrite fgets exit abort assert sizeof defined va_start va_end va_arg
  isalpha isdigit isspace tolower toupper atoi atol strtol strtoul qsort bsearch min max move forward make_unique make_shared
  static_cast dynamic_cast reinterpret_cast const_cast`),
  ],
  [
    'swift',
    words(`print fatalError precondition assert min max abs String Int Double Bool Array Dictionary Set Date URL Data Error Codable
  Equatable Hashable Identifiable Decodable Encodable Comparable`),
  ],
  [
    'bash',
    words(`echo cd ls cat grep sed awk test exit return export local source set unset shift read printf eval exec trap rm cp mv mkdir
  touch find xargs sort uniq head tail cut tr wc date sleep kill true false command type declare readonly git curl docker npm node
  python pip make sudo chmod chown tar basename dirname pwd tee which env`),
  ],
  [
    'lua',
    words(`print pairs ipairs type tostring tonumber require error assert pcall xpcall setmetatable getmetatable rawget rawset rawequal
  select next unpack table string math io os debug coroutine load loadstring dofile collectgarbage _G`),
  ],
])
GLOBALS.set('cpp', GLOBALS.get('c') ?? new Set())

/** True when a bare name is brought along by the language. */
export function isGlobal(language: string, name: string): boolean {
  return GLOBALS.get(language)?.has(name) ?? false
}

const CALLBACK =
  /(?:^|\.)(?:Runnable|Callable|Comparator|Comparable|Iterable|\w*(?:Listener|Callback|Handler|Supplier|Consumer|Function|Predicate|Operator|Visitor|Factory|Provider|Action|Observer|Adapter))$/

/** Whether a type is by its name an interface of few methods, which those that implement it write themselves. */
export function isCallback(name: string): boolean {
  return CALLBACK.test(name)
}
