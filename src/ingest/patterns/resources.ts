/** What is opened, locked or started, and not closed, unlocked or stopped in the same function. */

import type { Sightings } from '#ingest/patterns/sightings'

interface Opening {
  /** Last names of the calls that open, and what their paths look like. */
  names: readonly string[]
  opens: RegExp
  /** Ways to close what a variable holds, `$` is its name. */
  closes: string
}

function words(text: string): string[] {
  return text.split(' ')
}

const MEMBER = String.raw`(?<![\w$.])$\s*(?:\?\.|!?\.|->)\s*`
const ES: Opening = {
  names: words('openSync open opendir opendirSync'),
  opens: /^(?:fs|fsp|fsPromises|promises)\.(?:openSync|open|opendir|opendirSync)$|^(?:openSync|opendirSync)$/,
  closes: String.raw`\b(?:close|closeSync)\s*\(\s*$\b|${MEMBER}close\b`,
}
const JVM: Opening = {
  names: words(
    'FileInputStream FileOutputStream FileReader FileWriter BufferedReader BufferedWriter PrintWriter InputStreamReader ' +
      'OutputStreamWriter RandomAccessFile ZipFile JarFile ZipInputStream ZipOutputStream ObjectInputStream ObjectOutputStream ' +
      'DataInputStream DataOutputStream Socket ServerSocket DatagramSocket Scanner URLClassLoader getConnection openConnection ' +
      'openStream newInputStream newOutputStream newBufferedReader newBufferedWriter prepareStatement createStatement newDirectoryStream',
  ),
  opens:
    /^(?:java\.io\.)?(?:FileInputStream|FileOutputStream|FileReader|FileWriter|BufferedReader|BufferedWriter|PrintWriter|InputStreamReader|OutputStreamWriter|RandomAccessFile|ZipFile|JarFile|ZipInputStream|ZipOutputStream|ObjectInputStream|ObjectOutputStream|DataInputStream|DataOutputStream|Socket|ServerSocket|DatagramSocket|Scanner|URLClassLoader)$|(?:^|\.)(?:getConnection|openConnection|openStream|newInputStream|newOutputStream|newBufferedReader|newBufferedWriter|prepareStatement|createStatement|newDirectoryStream)$/,
  closes: String.raw`${MEMBER}(?:close|disconnect|use|closeQuietly)\b|\bclose\w*\s*\(\s*$\b`,
}
const C: Opening = {
  names: words('fopen fdopen popen opendir open socket accept mmap dlopen tmpfile'),
  opens: /^(?:std\.)?(?:fopen|fdopen|popen|opendir|open|socket|accept|mmap|dlopen|tmpfile)$/,
  closes: String.raw`\b(?:fclose|close|pclose|closedir|munmap|dlclose|closesocket|\w*[cC]lose\w*|\w*free\w*)\s*\([^;]*?\b$\b`,
}

const OPENINGS: Readonly<Record<string, Opening>> = {
  python: {
    names: words(
      'open fdopen ZipFile socket create_connection connect urlopen mmap NamedTemporaryFile TemporaryFile TemporaryDirectory SMTP FTP ' +
        'ClientSession Client AsyncClient Session ThreadPoolExecutor ProcessPoolExecutor Pool',
    ),
    opens:
      /^(?:open|io\.open|codecs\.open|os\.open|os\.fdopen|gzip\.open|bz2\.open|lzma\.open|tarfile\.open|zipfile\.ZipFile|ZipFile|socket\.socket|socket\.create_connection|sqlite3\.connect|urllib\.request\.urlopen|urlopen|shelve\.open|mmap\.mmap|tempfile\.(?:NamedTemporaryFile|TemporaryFile|TemporaryDirectory)|NamedTemporaryFile|TemporaryDirectory|psycopg2?\.connect|pymysql\.connect|smtplib\.SMTP|ftplib\.FTP|aiohttp\.ClientSession|httpx\.(?:Client|AsyncClient)|requests\.Session|ThreadPoolExecutor|ProcessPoolExecutor|concurrent\.futures\.(?:Thread|Process)PoolExecutor|multiprocessing\.Pool)$/,
    closes: String.raw`${MEMBER}(?:close|aclose|shutdown|terminate|cleanup|quit|detach|__exit__)\b|\bclose\s*\(\s*$\b|\b(?:with|closing\(|aclosing\()[^\n]*(?<![\w.])$\b`,
  },
  typescript: ES,
  tsx: ES,
  javascript: ES,
  go: {
    names: words(
      'Open OpenFile Create CreateTemp Get Post Head PostForm Dial DialTimeout Listen ListenPacket DialTCP DialUDP ListenTCP ' +
        'ListenUDP OpenReader NewReader NewTicker Query QueryContext Queryx StdoutPipe',
    ),
    opens:
      /^(?:os\.(?:Open|OpenFile|Create|CreateTemp)|http\.(?:Get|Post|Head|PostForm)|net\.(?:Dial|DialTimeout|Listen|ListenPacket|DialTCP|DialUDP|ListenTCP|ListenUDP)|tls\.(?:Dial|Listen)|zip\.OpenReader|gzip\.NewReader|sql\.Open|time\.NewTicker)$|(?:^|[.])(?:Query|QueryContext|Queryx|StdoutPipe)$/,
    closes: String.raw`${MEMBER}(?:Body\.)?(?:Close|Stop|Shutdown)\b|\b\w*[cC]lose\w*\s*\([^;\n]*?\b$\b`,
  },
  java: JVM,
  kotlin: JVM,
  scala: JVM,
  c: C,
  cpp: C,
  csharp: {
    names: words(
      'FileStream StreamReader StreamWriter BinaryReader BinaryWriter TcpClient UdpClient Socket SqlConnection SqlCommand ' +
        'NpgsqlConnection ZipArchive Process MemoryMappedFile Open OpenRead OpenWrite OpenText Create CreateText AppendText',
    ),
    opens:
      /^(?:System\.IO\.)?(?:FileStream|StreamReader|StreamWriter|BinaryReader|BinaryWriter|TcpClient|UdpClient|Socket|SqlConnection|SqlCommand|NpgsqlConnection|ZipArchive|Process|MemoryMappedFile)$|^(?:System\.IO\.)?File\.(?:Open\w*|Create\w*|AppendText)$/,
    closes: String.raw`${MEMBER}(?:Close|Dispose|DisposeAsync)\b|\busing\b[^;\n]*(?<![\w.])$\b`,
  },
  php: {
    names: words('fopen opendir popen fsockopen proc_open tmpfile stream_socket_client'),
    opens: /^(?:fopen|opendir|popen|fsockopen|proc_open|tmpfile|stream_socket_client)$/,
    closes: String.raw`\b(?:fclose|closedir|pclose|proc_close)\s*\(\s*\$?$\b`,
  },
  ruby: {
    names: words('open new popen'),
    opens: /^(?:File|IO|Dir|Zlib\.GzipReader|TCPSocket|TCPServer|UNIXSocket|Tempfile|PTY)\.(?:open|new|popen)$/,
    closes: String.raw`${MEMBER}(?:close|close!|unlink|close_write)\b`,
  },
}

/** The variable that takes the result of a call, from what stands before the call on its line. */
const TAKEN =
  /(?:^|[\s({;])\$?([\p{L}_][\p{L}\p{N}_]*)(?:\s*:\s*[\w.<>[\]?| ]+)?\s*(?:,\s*[\p{L}_][\p{L}\p{N}_]*\s*)?(?::=|=)\s*(?:\(\s*)?(?:await\s+|new\s+|try[?!]?\s+|\([\w.<> *]+\)\s*)*$/u
/** In front of calls whose result is closed, given away, or none of ours. */
const HANDED_ON =
  /\b(?:with|using|return|yield|defer|raise|throw)\b[^;{]*$|\btry\s*\([^)]*$|\buse\b|(?:enter_context|enter_async_context|closing|aclosing|ensureClosed|addCleanup|register|push|append|add|defer|autoclose)\s*\([^)]*$|[.\]]\s*[\w$]+\s*=\s*(?:await\s+|new\s+)?$|=>\s*$/

/** Wrapped around memory, which needs no closing. */
const IN_MEMORY = /\b(?:BytesIO|StringIO|StringWriter|StringReader|ByteArray\w+|MemoryStream)\b/

export function findResources(sightings: Sightings): void {
  const opening = OPENINGS[sightings.facts.language]
  if (opening !== undefined) findOpened(sightings, opening)
  findLocked(sightings)
  findNeverStopped(sightings)
}

function findOpened(sightings: Sightings, { names, opens, closes }: Opening): void {
  const { language } = sightings.facts
  for (const { reference, at } of sightings.calls(names, opens)) {
    if (at < 0) continue
    const scope = sightings.functionOf(reference.from)
    const before = sightings.before(at)
    if (HANDED_ON.test(before) || IN_MEMORY.test(sightings.text.slice(at, sightings.closing(at)))) continue
    const name = TAKEN.exec(before)?.[1]
    if (name === undefined) {
      // `open(path).read()`; elsewhere the end of the statement says nothing about the value
      const end = language === 'python' && reference.path.endsWith('open') ? sightings.closing(at) : -1
      const isRead =
        end > 0 && /^\s*\.\s*(?:read|readlines|write|splitlines|readline)\b/.test(sightings.text.slice(end, end + 20))
      if (isRead) sightings.add('not_closed', reference.line)
      continue
    }
    if (scope < 0 || (language === 'ruby' && opensBlock(sightings, at))) continue
    const rest = sightings.textOf(scope)
    const variable = name.replaceAll('$', String.raw`\$`)
    if (new RegExp(closes.replaceAll('$\\b', `${variable}\\b`).replaceAll('$\\s', `${variable}\\s`)).test(rest))
      continue
    if (isGivenAway(rest, variable)) continue
    sightings.add('not_closed', reference.line)
  }
}

function opensBlock(sightings: Sightings, at: number): boolean {
  const end = sightings.closing(at)
  return end > 0 && /^\s*(?:do\b|\{)/.test(sightings.text.slice(end, end + 20))
}

/** Whether a value leaves the function: returned, kept in something, or handed to what takes it over. */
function isGivenAway(text: string, name: string): boolean {
  return new RegExp(
    [
      String.raw`\b(?:return|yield|throw)\b[^;\n]*(?<![\w$.])\$?${name}(?![\w$]|\s*[.(\[]\s*\w)`,
      String.raw`\b(?:return|yield)\b[^;\n]*[({\[,:]\s*\$?${name}\s*[)},\]]`,
      String.raw`[\w$\])>]\s*(?:\.|->|\[[^\]\n]*\])\s*[\w$]*\s*=\s*&?\$?${name}\s*(?:[;,)\n]|$)`,
      String.raw`(?<![\w$.])[*\w$]+\s*=\s*&?\$?${name}\s*(?:;|\n|$)`,
      String.raw`\b(?:enter_context|closing|aclosing|append|push|add|register|addCleanup|defer|weakref|finalize|NewReader|NewWriter|NewScanner|[A-Z][\w$]*)\s*\(\s*&?\$?${name}\b`,
      String.raw`[{,]\s*[\w$"']+\s*:\s*&?\$?${name}\s*[,}\n]`,
      String.raw`[{\[][ \t]*(?:[\w$]+,[ \t]*)*\$?${name}\s*[,}\]]`,
      String.raw`<-\s*${name}\b`,
    ].join('|'),
  ).test(text)
}

const LOCKS: Readonly<Record<string, { names: readonly string[]; locks: RegExp; unlocks: RegExp }>> = {
  python: { names: words('acquire'), locks: /\.acquire$/, unlocks: /\.release\b/ },
  go: { names: words('Lock RLock'), locks: /\.(?:Lock|RLock)$/, unlocks: /\.R?Unlock\b/ },
  java: {
    names: words('lock lockInterruptibly acquire'),
    locks: /\.(?:lock|lockInterruptibly|acquire)$/,
    unlocks: /\.(?:unlock|release)\w*\b/,
  },
  kotlin: { names: words('lock acquire'), locks: /\.(?:lock|acquire)$/, unlocks: /\.(?:unlock|release)\b/ },
  csharp: {
    names: words('Enter WaitOne EnterWriteLock EnterReadLock'),
    locks: /^(?:System\.Threading\.)?Monitor\.Enter$|\.(?:WaitOne|EnterWriteLock|EnterReadLock)$/,
    unlocks: /\.(?:Exit\w*|Release\w*|ReleaseMutex)\b/,
  },
  cpp: { names: words('lock'), locks: /\.lock$/, unlocks: /(?:\.|->)unlock\b|unlock\s*\(/ },
  c: {
    names: words('pthread_mutex_lock pthread_rwlock_rdlock pthread_rwlock_wrlock mtx_lock spin_lock mutex_lock'),
    locks: /^(?:pthread_mutex_lock|pthread_rwlock_\w+lock|mtx_lock|spin_lock|mutex_lock)$/,
    unlocks: /unlock\s*\(/,
  },
}
/** Functions that lock for their caller. */
const LOCKS_FOR_CALLER = /lock|acquire|enter|begin|reserve|wait|^__a?enter__$/i
const IS_LOCK = /(?:lock|mutex|\bmu|mtx|sem|semaphore|guard|cond)\w*$/i

function findLocked(sightings: Sightings): void {
  const rule = LOCKS[sightings.facts.language]
  if (rule === undefined) return
  for (const { reference, at } of sightings.calls(rule.names, rule.locks)) {
    const scope = sightings.functionOf(reference.from)
    if (at < 0 || scope < 0 || !sightings.isStatement(at)) continue
    const owner = reference.path.slice(0, Math.max(0, reference.path.lastIndexOf('.')))
    const call = reference.path.slice(owner.length + 1)
    if (owner !== '' && !IS_LOCK.test(owner) && call !== 'Lock') continue
    if (LOCKS_FOR_CALLER.test(sightings.definition(scope)?.name ?? '')) continue
    if (rule.unlocks.test(sightings.textOf(scope))) continue
    sightings.add('not_unlocked', reference.line)
  }
}

/** A timer whose number nobody keeps, memory that is given away for good. */
function findNeverStopped(sightings: Sightings): void {
  const { language } = sightings.facts
  if (language === 'typescript' || language === 'tsx' || language === 'javascript') {
    for (const { reference, at } of sightings.calls(['setInterval'], /^(?:window\.|globalThis\.|self\.)?setInterval$/))
      if (at >= 0 && sightings.isStatement(at)) sightings.add('never_stopped', reference.line)
  } else if (language === 'rust') {
    for (const { reference } of sightings.calls(['leak'], /(?:^|\.)(?:Box\.leak|Vec\.leak)$/))
      sightings.add('never_stopped', reference.line)
  } else if (language === 'go') {
    for (const { reference } of sightings.calls(['Tick'], /^time\.Tick$/))
      sightings.add('never_stopped', reference.line)
  }
}
