/**
 * The names of a graph as an index: every distinct label, file stem, tag and part of an identifier once, which
 * nodes bear it, and which names contain which groups of three characters.
 */

import { FILE, type Graph, NONE } from '#graph/graph'
import { type Strings, StringsBuilder, stringsFrom } from '#graph/strings'
import { type ColumnSet, columnReader } from '#query/columns'
import { normalizeName, partsOf } from '#query/tokens'

/** Bits beside a node in `nodes`; node ids stay far below 2^30. */
export const NODE_MASK = 0x3fff_ffff
/** The name is a stem of the node's label, not the label itself. */
export const STEM_ONLY = 0x8000_0000
/** The name is a file label with its extension, which is too long to be compared fuzzily. */
export const WITH_EXTENSION = 0x4000_0000

export interface Names {
  /** Distinct names in the form of `normalizeName`; a "name" below is a handle into it. */
  text: Strings
  /** Labelled nodes. */
  nLabelled: number

  // CSR by name, offsets of length text.count + 1
  /** Nodes that bear the name as label or stem, with the bits above. */
  offsets: Uint32Array
  nodes: Uint32Array
  /** Nodes that bear it as tag. */
  tagOffsets: Uint32Array
  tagNodes: Uint32Array
  /** Labels (as names) of which it is a part. */
  partOffsets: Uint32Array
  partNames: Uint32Array

  // columns by name
  /** Distinct grams; 0 for a name that is only a part. */
  gramCounts: Uint8Array
  /** Length of the vector of gram counts. */
  countNorms: Float32Array
  /** Length of the vector of counts · idf; 0 for a name that is no label. */
  labelNorms: Float32Array

  // columns by gram
  /** Hashes of the grams, ascending. */
  grams: Uint32Array
  /** ln(nLabelled / labels with the gram) + 1; 1 for a gram of no label. */
  idf: Float32Array
  /** CSR by gram: the names that contain it and how often. */
  postingOffsets: Uint32Array
  postingNames: Uint32Array
  postingCounts: Uint8Array
}

/** Longest name in characters, and so the most grams that a name can have. */
const LONGEST = 200
const GRAM_BITS = 24

export function buildNames(graph: Graph): Names {
  const builder = new StringsBuilder()
  const texts: string[] = []
  const intern = (text: string): number => {
    const name = builder.intern(text)
    if (name === texts.length) texts.push(text)
    return name
  }

  const bearers = collectBearers(graph, intern)
  const text = builder.build()
  const [offsets, nodes] = group(text.count, bearers.labelNames, bearers.labelNodes)
  const [tagOffsets, tagNodes] = group(text.count, bearers.tagNames, bearers.tagNodes)
  const [partOffsets, partNames] = group(text.count, bearers.parts, bearers.wholes)
  const base = { text, nLabelled: bearers.nLabelled, offsets, nodes, tagOffsets, tagNodes, partOffsets, partNames }
  return { ...base, ...indexGrams(texts, base) }
}

/** A list of 32-bit numbers that grows. */
class Column {
  private values = new Uint32Array(1024)
  private length = 0

  push(value: number): void {
    if (this.length === this.values.length) {
      const values = new Uint32Array(this.length * 2)
      values.set(this.values)
      this.values = values
    }
    this.values[this.length++] = value
  }

  take(): Uint32Array {
    return this.values.subarray(0, this.length)
  }
}

/** Who bears which name, as pairs in parallel lists. */
function collectBearers(graph: Graph, intern: (text: string) => number) {
  const labelNames = new Column()
  const labelNodes = new Column()
  const tagNames = new Column()
  const tagNodes = new Column()
  const parts = new Column()
  const wholes = new Column()
  const { labels, types, dead, strings, tagOffsets, tags } = graph
  const nameOf = new Uint32Array(strings.count).fill(NONE)
  const tagNameOf = new Uint32Array(strings.count).fill(NONE)
  const stemsOf = new Map<number, number[]>()
  let nLabelled = 0

  for (let v = 0; v < graph.nNodes; v++) {
    if (dead[v] === 1) continue
    for (let i = tagOffsets[v]; i < tagOffsets[v + 1]; i++) {
      const tag = tags[i]
      if (tagNameOf[tag] === NONE) tagNameOf[tag] = intern(normalizeName(strings.get(tag)))
      tagNames.push(tagNameOf[tag])
      tagNodes.push(v)
    }

    const label = labels[v]
    if (label === NONE) continue
    let name = nameOf[label]
    if (name === NONE) {
      const text = strings.get(label)
      if (text === '') continue
      name = intern(normalizeName(text))
      nameOf[label] = name
      for (const part of partsOf(text)) {
        parts.push(intern(part))
        wholes.push(name)
      }
    }
    nLabelled++
    if (types[v] !== FILE) {
      labelNames.push(name)
      labelNodes.push(v)
      continue
    }
    let stems = stemsOf.get(label)
    if (stems === undefined) {
      stems = stemsOfFile(normalizeName(strings.get(label))).map(intern)
      stemsOf.set(label, stems)
    }
    labelNames.push(name)
    labelNodes.push(stems.length > 0 ? (v | WITH_EXTENSION) >>> 0 : v)
    for (const stem of stems) {
      labelNames.push(stem)
      labelNodes.push((v | STEM_ONLY) >>> 0)
    }
  }
  return {
    nLabelled,
    labelNames: labelNames.take(),
    labelNodes: labelNodes.take(),
    tagNames: tagNames.take(),
    tagNodes: tagNodes.take(),
    parts: parts.take(),
    wholes: wholes.take(),
  }
}

/** `total.test.ts` → `total.test` and `total`; a leading dot is no extension. */
export function stemsOfFile(label: string): string[] {
  const last = label.lastIndexOf('.')
  if (last <= 0) return []
  const first = label.indexOf('.', 1)
  return first === last ? [label.slice(0, last)] : [label.slice(0, last), label.slice(0, first)]
}

/** Turns pairs (name, value) into CSR by name, values in the order of the pairs. */
function group(count: number, names: Uint32Array, values: Uint32Array): [Uint32Array, Uint32Array] {
  const offsets = new Uint32Array(count + 1)
  for (const name of names) offsets[name + 1]++
  for (let i = 0; i < count; i++) offsets[i + 1] += offsets[i]
  const grouped = new Uint32Array(values.length)
  const next = offsets.slice(0, count)
  for (let i = 0; i < names.length; i++) grouped[next[names[i]]++] = values[i]
  return [offsets, grouped]
}

type Bearers = Pick<Names, 'text' | 'nLabelled' | 'offsets' | 'nodes' | 'tagOffsets'>

function indexGrams(texts: string[], { nLabelled, offsets, nodes, tagOffsets }: Bearers) {
  const count = texts.length
  const gramCounts = new Uint8Array(count)
  const countNorms = new Float32Array(count)

  // every distinct gram of every name, name after name
  const scratch = new Uint32Array(LONGEST)
  const keys = new Column()
  const tallies = new Column()
  const present = new Uint32Array(1 << (GRAM_BITS - 5))
  for (let name = 0; name < count; name++) {
    if (offsets[name] === offsets[name + 1] && tagOffsets[name] === tagOffsets[name + 1]) continue
    const total = gramsOf(texts[name], scratch)
    let distinct = 0
    let squares = 0
    for (let i = 0; i < total; ) {
      let end = i + 1
      while (end < total && scratch[end] === scratch[i]) end++
      const key = scratch[i]
      present[key >>> 5] |= 1 << (key & 31)
      keys.push(key)
      tallies.push(end - i)
      squares += (end - i) * (end - i)
      distinct++
      i = end
    }
    gramCounts[name] = distinct
    countNorms[name] = Math.sqrt(squares)
  }
  const allKeys = keys.take()
  const allTallies = tallies.take()

  // number the grams by hash: a bit set with running counts gives the rank of each
  const ranks = new Uint32Array(present.length)
  let nGrams = 0
  for (let i = 0; i < present.length; i++) {
    ranks[i] = nGrams
    nGrams += bitCount(present[i])
  }
  const grams = new Uint32Array(nGrams)
  const postingOffsets = new Uint32Array(nGrams + 1)
  const gramOf = allKeys
  for (let i = 0; i < allKeys.length; i++) {
    const key = allKeys[i]
    const gram = ranks[key >>> 5] + bitCount(present[key >>> 5] & ((1 << (key & 31)) - 1))
    grams[gram] = key
    gramOf[i] = gram
    postingOffsets[gram + 1]++
  }

  // transpose, counting for each gram the labelled nodes behind it
  for (let g = 0; g < nGrams; g++) postingOffsets[g + 1] += postingOffsets[g]
  const postingNames = new Uint32Array(gramOf.length)
  const postingCounts = new Uint8Array(gramOf.length)
  const next = postingOffsets.slice(0, nGrams)
  const bearing = new Uint32Array(nGrams)
  for (let name = 0, i = 0; name < count; name++) {
    let labelled = 0
    for (let j = offsets[name]; j < offsets[name + 1]; j++) if ((nodes[j] & STEM_ONLY) === 0) labelled++
    for (let k = gramCounts[name]; k > 0; k--, i++) {
      const at = next[gramOf[i]]++
      postingNames[at] = name
      postingCounts[at] = allTallies[i]
      bearing[gramOf[i]] += labelled
    }
  }
  const idf = new Float32Array(nGrams)
  for (let g = 0; g < nGrams; g++) idf[g] = bearing[g] === 0 ? 1 : Math.log(nLabelled / bearing[g]) + 1

  const labelNorms = new Float32Array(count)
  for (let name = 0, i = 0; name < count; name++) {
    let isLabel = false
    for (let j = offsets[name]; j < offsets[name + 1] && !isLabel; j++) isLabel = (nodes[j] & STEM_ONLY) === 0
    let squares = 0
    for (let k = gramCounts[name]; k > 0; k--, i++) squares += (allTallies[i] * idf[gramOf[i]]) ** 2
    if (isLabel) labelNorms[name] = Math.sqrt(squares)
  }
  return { gramCounts, countNorms, labelNorms, grams, idf, postingOffsets, postingNames, postingCounts }
}

/**
 * Hashes of the groups of three characters of a normalized name, ascending, repeated as often as they occur:
 * FNV-1a over their UTF-8, 24 bits. A shorter name is one group. Writes into `out` (length 200) and returns
 * their number.
 */
export function gramsOf(name: string, out: Uint32Array): number {
  if (name === '') return 0
  let count = 0
  let plain = true
  for (let i = 0; i < name.length && plain; i++) plain = name.charCodeAt(i) < 0x80
  if (plain) {
    const length = Math.min(name.length, LONGEST)
    if (length < 3) {
      let hash = 0x811c9dc5
      for (let i = 0; i < length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
      out[count++] = hash & 0xff_ffff
      return count
    }
    for (let i = 0; i + 2 < length; i++) {
      let hash = Math.imul(0x811c9dc5 ^ name.charCodeAt(i), 0x01000193)
      hash = Math.imul(hash ^ name.charCodeAt(i + 1), 0x01000193)
      hash = Math.imul(hash ^ name.charCodeAt(i + 2), 0x01000193)
      out[count++] = hash & 0xff_ffff
    }
  } else {
    const characters = Array.from(name).slice(0, LONGEST)
    const last = Math.max(0, characters.length - 3)
    for (let i = 0; i <= last; i++) {
      let hash = 0x811c9dc5
      for (const byte of encoder.encode(characters.slice(i, i + 3).join(''))) hash = Math.imul(hash ^ byte, 0x01000193)
      out[count++] = hash & 0xff_ffff
    }
  }
  return sortInPlace(out, count)
}

const encoder = new TextEncoder()

/** Names are short, where insertion beats the call into a general sort. */
function sortInPlace(values: Uint32Array, count: number): number {
  for (let i = 1; i < count; i++) {
    const value = values[i]
    let j = i - 1
    while (j >= 0 && values[j] > value) {
      values[j + 1] = values[j]
      j--
    }
    values[j + 1] = value
  }
  return count
}

function bitCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555)
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}

/** The position of a gram in `names.grams`, -1 when no name contains it. */
export function gramIndex({ grams }: Names, key: number): number {
  let low = 0
  let high = grams.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    if (grams[middle] === key) return middle
    if (grams[middle] < key) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** The arrays of the index under the names used in snapshots. */
export function namesColumns({ text, nLabelled, ...columns }: Names): ColumnSet {
  return {
    ...columns,
    bytes: text.bytes,
    textOffsets: text.offsets,
    textTable: text.table,
    nLabelled: Uint32Array.of(nLabelled),
  }
}

/** The index over given arrays, which are used as they are. */
export function namesFromColumns(columns: ColumnSet, prefix: string): Names {
  const { bytes, ints, floats } = columnReader(columns, prefix)
  return {
    text: stringsFrom(bytes('bytes'), ints('textOffsets'), ints('textTable')),
    nLabelled: ints('nLabelled')[0],
    offsets: ints('offsets'),
    nodes: ints('nodes'),
    tagOffsets: ints('tagOffsets'),
    tagNodes: ints('tagNodes'),
    partOffsets: ints('partOffsets'),
    partNames: ints('partNames'),
    gramCounts: bytes('gramCounts'),
    countNorms: floats('countNorms'),
    labelNorms: floats('labelNorms'),
    grams: ints('grams'),
    idf: floats('idf'),
    postingOffsets: ints('postingOffsets'),
    postingNames: ints('postingNames'),
    postingCounts: bytes('postingCounts'),
  }
}
