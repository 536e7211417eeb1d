/**
 * What methods of Rust's library give. A section begins with type names and their parameters; `-> X` says what
 * they dereference to. A line holds names, what their arguments are called with, and the result. `R` is the result
 * of the function handed over, `0` and `1` are arguments, `X?` is what `?` gives, `X*` an element, `Self` the receiver.
 */

export interface TypeShape {
  /** Name of a type or parameter; `?` and `*` are applied to `args[0]`. */
  name: string
  args: readonly TypeShape[]
}

export interface Signature {
  /** Per argument that is a function: what it is called with. */
  takes: readonly (readonly TypeShape[] | undefined)[]
  result: TypeShape | undefined
}

export interface TypeInfo {
  parameters: readonly string[]
  target: TypeShape | undefined
  methods: Map<string, Signature>
  functions: Map<string, Signature>
}

const TABLE = `
Option<T>
 Some: Tuple<T>
 ? unwrap expect unwrap_or unwrap_or_default unwrap_or_else unwrap_unchecked insert get_or_insert get_or_insert_with flatten: T
 as_ref as_mut as_deref as_deref_mut take replace or or_else xor cloned copied clone as_pin_mut: Option<T>
 filter inspect take_if (|T|): Option<T>
 map (|T|): Option<R>
 and_then (|T|): R
 map_or map_or_else (_,|T|): R
 is_some_and is_none_or (|T|): bool
 ok_or (_): Result<T,0>
 ok_or_else (||): Result<T,R>
 iter iter_mut into_iter: Iterator<T>
 zip: Option<Tuple<T,0?>>
 and: 0
 transpose: Result<Option<T?>>
 is_some is_none: bool
 context with_context: Result<T>
Result<T,E>
 Ok: Tuple<T>
 Err: Tuple<E>
 ? unwrap expect unwrap_or unwrap_or_default into_ok: T
 unwrap_or_else (|E|): T
 unwrap_err expect_err into_err: E
 as_ref as_mut as_deref clone cloned copied: Result<T,E>
 map (|T|): Result<R,E>
 map_err (|E|): Result<T,R>
 and_then (|T|): R
 or_else (|E|): R
 map_or (_,|T|): R
 map_or_else (|E|,|T|): R
 inspect is_ok_and (|T|): Result<T,E>
 inspect_err is_err_and (|E|): Result<T,E>
 ok: Option<T>
 err: Option<E>
 iter iter_mut into_iter: Iterator<T>
 transpose: Option<Result<T?,E>>
 is_ok is_err: bool
 context with_context wrap_err wrap_err_with: Result<T>
Box<T> -> T
 ::new ::pin ::from: Box<0>
 ::leak ::into_inner: 0?
 clone: Box<T>
Rc Arc<T> -> T
 ::new ::pin ::from ::new_cyclic: Arc<0>
 clone: Arc<T>
 get_mut into_inner: Option<T>
 make_mut unwrap_or_clone: T
 try_unwrap: Result<T>
 downgrade: Weak<T>
Weak<T>
 upgrade: Option<Arc<T>>
 clone: Weak<T>
Pin<T> -> T
 ::new ::new_unchecked: Pin<0>
 as_mut as_ref set: Pin<T>
 get_mut get_ref get_unchecked_mut into_inner into_ref: T
Cow<T> -> T
 into_owned to_mut: T
 Borrowed Owned: Tuple<T>
ManuallyDrop MaybeUninit Wrapping Reverse AssertUnwindSafe CachePadded Saturating<T> -> T
 ::new: ManuallyDrop<0>
 0 assume_init assume_init_ref assume_init_mut write get_mut into_inner take: T
Mutex RwLock<T>
 ::new ::const_new: Mutex<0>
 lock read write lock_owned read_owned write_owned blocking_lock blocking_read blocking_write upgradable_read: Locked<MutexGuard<T>>
 try_lock try_read try_write: Locked<MutexGuard<T>>
 get_mut into_inner: Locked<T>
Locked<T> -> T
 await: Locked<T>
 ? unwrap expect unwrap_or_else into_inner: T
 ok: Option<T>
 Ok Some: Tuple<T>
MutexGuard RwLockReadGuard RwLockWriteGuard MappedMutexGuard OwnedMutexGuard Ref RefMut<T> -> T
 ::map (_,|0|): Ref<R>
RefCell Cell UnsafeCell SyncUnsafeCell<T>
 ::new: RefCell<0>
 borrow borrow_mut: Ref<T>
 try_borrow try_borrow_mut: Result<Ref<T>>
 get take replace into_inner get_mut: T
 with with_mut (|T|): R
OnceCell OnceLock OnceBox<T>
 get get_mut take into_inner: Option<T>
 get_or_init get_or_insert_with (||): T
 get_or_try_init (||): Result<T>
Lazy LazyLock LazyCell<T> -> T
 ::new (||): LazyLock<R>
 force: T
LocalKey<T>
 with with_borrow with_borrow_mut (|T|): R
 get take replace: T
AtomicPtr NonNull Unique<T> -> T
 ::new ::from: NonNull<0>
 load as_ref as_mut cast as_ptr: T
PhantomData<T>
Future IntoFuture JoinHandle BoxFuture LocalBoxFuture Ready<T>
 await: T
 join: Result<T>
 boxed boxed_local fuse: Future<T>
 map (|T|): Future<R>
 then (|T|): Future<R.await>
Poll<T>
 Ready: Tuple<T>
 map map_ok (|T|): Poll<R>
 ?: Poll<T?>
ControlFlow<B,C>
 Break: Tuple<B>
 Continue: Tuple<C>
Iterator IntoIterator DoubleEndedIterator ExactSizeIterator FusedIterator Iter IterMut IntoIter Peekable Drain Map Filter Chain Rev Enumerate Zip Take Skip Fuse Cloned Copied ParallelIterator IndexedParallelIterator Stream<T>
 next next_back last nth nth_back peek peek_mut min max next_if: Option<T>
 reduce min_by max_by (|T,T|): Option<T>
 find rfind min_by_key max_by_key (|T|): Option<T>
 find_map (|T|): R
 map (|T|): Iterator<R>
 map_while filter_map (|T|): Iterator<R?>
 flat_map (|T|): Iterator<R*>
 filter skip_while take_while inspect (|T|): Iterator<T>
 flatten: Iterator<T*>
 enumerate: Iterator<Tuple<usize,T>>
 zip: Iterator<Tuple<T,0*>>
 chain rev skip take step_by peekable fuse cycle cloned copied by_ref into_iter iter clone into_par_iter par_bridge sorted dedup intersperse: Iterator<T>
 fold try_fold (_,|0,T|): 0
 scan (_,|0,T|): Iterator<R?>
 for_each try_for_each any all position rposition partition_in_place is_partitioned (|T|): bool
 partition (|T|): Tuple<Vec<T>,Vec<T>>
 unzip: Tuple<Vec<T.0>,Vec<T.1>>
 sorted_by (|T,T|): Iterator<T>
 sorted_by_key unique_by group_by chunk_by (|T|): Iterator<T>
 collect collect_vec: collect
 sum product: T
 count: usize
 as_slice: Array<T>
Array<T>
 iter iter_mut into_iter drain par_iter par_iter_mut into_par_iter rsplit splitn: Iterator<T>
 first last get get_mut first_mut last_mut pop iter_next: Option<T>
 [] get_unchecked get_unchecked_mut remove swap_remove: T
 windows chunks chunks_exact chunks_mut rchunks split split_mut chunk_by (|T|): Iterator<Array<T>>
 split_at split_at_mut: Tuple<Array<T>,Array<T>>
 split_first split_last split_first_mut split_last_mut: Option<Tuple<T,Array<T>>>
 to_vec to_owned into_vec split_off: Vec<T>
 as_slice as_mut_slice as_ref as_mut into_boxed_slice: Array<T>
 sort_by sort_unstable_by dedup_by (|T,T|): Unit
 sort_by_key sort_unstable_by_key sort_by_cached_key retain retain_mut binary_search_by binary_search_by_key partition_point dedup_by_key drain_filter extract_if (|T|): Result<usize>
 map (|T|): Array<R>
 concat: Vec<T*>
 clone: Array<T>
Vec SmallVec ArrayVec ThinVec<T> -> Array<T>
 ::from ::from_iter: Vec<0*>
 pop pop_if: Option<T>
 clone: Vec<T>
VecDeque<T> -> Array<T>
 ::from: VecDeque<0*>
 pop_front pop_back front back front_mut back_mut: Option<T>
 range: Iterator<T>
 clone: VecDeque<T>
HashMap BTreeMap IndexMap FxHashMap AHashMap FnvHashMap DashMap Slab<K,V>
 get get_mut remove insert swap_remove shift_remove: Option<V>
 entry: Entry<K,V>
 first_entry last_entry: Option<Entry<K,V>>
 iter iter_mut iter_mut2 into_iter drain range range_mut: Iterator<Tuple<K,V>>
 keys into_keys: Iterator<K>
 values values_mut into_values: Iterator<V>
 get_key_value first_key_value last_key_value pop_first pop_last remove_entry swap_remove_entry shift_remove_entry get_index get_index_mut swap_remove_index shift_remove_index pop first last: Option<Tuple<K,V>>
 get_full get_full_mut get_full_mut2 swap_remove_full shift_remove_full: Option<Tuple<usize,K,V>>
 insert_full: Tuple<usize,Option<V>>
 [] : V
 retain (|K,V|): Unit
 clone: HashMap<K,V>
Entry OccupiedEntry VacantEntry<K,V>
 or_insert or_insert_with or_default or_insert_with_key get get_mut into_mut insert remove: V
 and_modify (|V|): Entry<K,V>
 key into_key: K
 Occupied Vacant: Tuple<Entry<K,V>>
HashSet BTreeSet IndexSet FxHashSet AHashSet BinaryHeap LinkedList<T>
 iter iter_mut into_iter drain union intersection difference symmetric_difference range into_sorted_vec: Iterator<T>
 get take replace first last pop pop_first pop_last peek peek_mut pop_front pop_back front back front_mut back_mut: Option<T>
 retain (|T|): Unit
 into_vec: Vec<T>
 clone: HashSet<T>
Range RangeInclusive RangeFrom<T> -> Iterator<T>
 start end: T
Sender SyncSender UnboundedSender<T>
 send try_send: Result<Unit>
 reserve: Result<T>
 clone: Sender<T>
Receiver UnboundedReceiver<T>
 recv try_recv recv_timeout blocking_recv next: Locked<T>
 iter try_iter into_iter: Iterator<T>
 await: Result<T>
 borrow borrow_and_update: T
Fn
Bounds
Tuple
Unit
bool
 then (||): Option<R>
 then_some: Option<0>
String -> str
 ::from ::new ::from_utf8_lossy ::with_capacity: String
 ::from_utf8: Result<String>
 as_str as_mut_str: str
 clone: String
 pop: Option<char>
str
 to_string to_owned to_lowercase to_uppercase to_ascii_lowercase to_ascii_uppercase replace replacen repeat into_string trim_string: String
 trim trim_start trim_end trim_matches trim_start_matches trim_end_matches as_str: str
 chars: Iterator<char>
 char_indices: Iterator<Tuple<usize,char>>
 lines split split_whitespace rsplit splitn rsplitn split_terminator split_inclusive matches: Iterator<str>
 bytes: Iterator<u8>
 as_bytes into_bytes: Array<u8>
 split_once rsplit_once: Option<Tuple<str,str>>
 strip_prefix strip_suffix get: Option<str>
 find rfind: Option<usize>
 parse: Result<parse>
 split_at: Tuple<str,str>
Path PathBuf
 ::new ::from: PathBuf
 join with_extension with_file_name to_path_buf to_owned clone as_path: PathBuf
 parent file_name file_stem extension to_str: Option<PathBuf>
 to_string_lossy display: String
 components ancestors iter: Iterator<PathBuf>
OsStr OsString
 to_str: Option<str>
 to_string_lossy: String
 to_os_string clone to_owned: OsString
char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 int
mem
 ::take ::replace ::swap: 0
ptr
 ::read ::replace ::addr_of ::addr_of_mut: 0
iter
 ::once ::repeat: Iterator<0>
 ::from_fn ::repeat_with (||): Iterator<R?>
 ::successors (_,|0?|): Iterator<0?>
 ::zip: Iterator<Tuple<0*,1*>>
 ::empty: Iterator<_>
thread task
 ::spawn ::spawn_blocking ::spawn_local (||): JoinHandle<R>
 ::scope (|_|): R
cmp
 ::max ::min: 0
array
 ::from_fn (|usize|): Array<R>
future
 ::ready: Future<0>
 ::poll_fn (|_|): Future<R.Ready.0>
panic
 ::catch_unwind (||): Result<R>
Some
 ::call: Option<0>
Ok
 ::call: Result<0,_>
Err
 ::call: Result<_,0>
`

export const RUST_LIBRARY: ReadonlyMap<string, TypeInfo> = readTable(TABLE)

function readTable(text: string): Map<string, TypeInfo> {
  const table = new Map<string, TypeInfo>()
  let info: TypeInfo | undefined
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    if (!line.startsWith(' ')) {
      const [head, target] = line.split(' -> ')
      const [names, parameters] = head.replace('>', '').split('<')
      info = {
        parameters: parameters === undefined ? [] : parameters.split(','),
        target: target === undefined ? undefined : shapeOf(target),
        methods: new Map(),
        functions: new Map(),
      }
      for (const name of names.split(' ')) table.set(name, info)
      continue
    }
    const colon = line.lastIndexOf(': ')
    const [names, takes] = line.slice(0, colon).split(' (')
    const signature = {
      takes: takes === undefined ? [] : takesOf(takes.replace(/\)\s*$/, '')),
      result: shapeOf(line.slice(colon + 2)),
    }
    for (const name of names.trim().split(/\s+/)) {
      if (name.startsWith('::')) info?.functions.set(name.slice(2), signature)
      else info?.methods.set(name, signature)
    }
  }
  return table
}

function takesOf(text: string): (TypeShape[] | undefined)[] {
  return [...text.matchAll(/\|([^|]*)\||_/g)].map((it) =>
    it[1] === undefined ? undefined : it[1] === '' ? [] : splitShapes(it[1]),
  )
}

function splitShapes(text: string): TypeShape[] {
  const shapes: TypeShape[] = []
  let depth = 0
  let from = 0
  for (let i = 0; i <= text.length; i++) {
    const c = text[i]
    if (c === '<') depth++
    else if (c === '>') depth--
    else if (i === text.length || (c === ',' && depth === 0)) {
      shapes.push(shapeOf(text.slice(from, i)))
      from = i + 1
    }
  }
  return shapes
}

function shapeOf(text: string): TypeShape {
  const plain = text.trim()
  const last = plain.at(-1) ?? ''
  if (last === '?' || last === '*') return { name: last, args: [shapeOf(plain.slice(0, -1))] }
  if (last === '>') {
    const open = plain.indexOf('<')
    return { name: plain.slice(0, open), args: splitShapes(plain.slice(open + 1, -1)) }
  }
  const dot = plain.lastIndexOf('.')
  if (dot > 0) return { name: `.${plain.slice(dot + 1)}`, args: [shapeOf(plain.slice(0, dot))] }
  return { name: plain, args: [] }
}
