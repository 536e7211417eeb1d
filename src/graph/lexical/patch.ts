/** The word index after some files changed, made from the one before. */

import { type Graph, NONE } from '#graph/graph'
import type { Lexical, LexicalFile, Postings } from '#graph/lexical'
import {
  addTotals,
  averages,
  type Documents,
  fieldLengths,
  filesBeside,
  findDocuments,
  type Totals,
} from '#graph/lexical/documents'
import { collect } from '#graph/lexical/frequencies'

export interface LexicalPatch {
  /** Number of files with text. */
  nFiles: number
  /** Positions of the files that changed, ascending. */
  changed: readonly number[]
  /** Those files as they were, with nodes of `oldGraph`, and as they are. */
  before: readonly LexicalFile[]
  after: readonly LexicalFile[]
  oldGraph: Graph
  graph: Graph
  /** Node of `graph` for each of `oldGraph`. */
  newOf: Uint32Array
}

/** Null when the average lengths have moved so far that all documents count otherwise. */
export function patched(old: Lexical, patch: LexicalPatch): Lexical | null {
  const { nFiles, before, after, oldGraph, graph } = patch
  // nodes without text come last, are few, and are all done anew
  const bare = filesBeside(coveredNodes(old, patch), graph)
  const fresh = after.concat(bare)
  const documents = findDocuments(fresh, graph)
  const lengths = fieldLengths(fresh, documents)
  const oldBare = bareFilesOf(old, nFiles, oldGraph)
  const gone = before.concat(oldBare)
  const totals: Totals = { lengths: old.totals.lengths.slice(), documents: old.totals.documents.slice() }
  addTotals(totals, fieldLengths(gone, findDocuments(gone, oldGraph)), -1)
  addTotals(totals, lengths, 1)
  const average = averages(totals)
  if (averages(old.totals).some((it, i) => it !== average[i])) return null

  const numbers = numberDocuments(old, patch, documents, bare.length)
  const { vocabulary, inFiles, inDefinitions, inPaths } = collect(fresh, documents, lengths, average)
  const added = vocabulary.sort()
  const parts = {
    inFiles: { old: old.inFiles, fresh: inFiles.toPostings(added.rank), ...numbers.files },
    inDefinitions: { old: old.inDefinitions, fresh: inDefinitions.toPostings(added.rank), ...numbers.definitions },
    inPaths: { old: old.inPaths, fresh: inPaths.toPostings(added.rank), ...numbers.files },
  }
  const terms = mergeTerms(old, added)
  const kept = keptTerms(terms, parts.inFiles)
  return {
    ...termColumns(terms, kept, old, added),
    files: numbers.fileNodes,
    definitions: numbers.definitionNodes,
    fileOfDefinition: numbers.fileOfDefinition,
    inFiles: mergePostings(terms, kept, parts.inFiles),
    inDefinitions: mergePostings(terms, kept, parts.inDefinitions),
    inPaths: mergePostings(terms, kept, parts.inPaths),
    totals,
  }
}

/** Nodes of the new graph that files with text account for. */
function coveredNodes(old: Lexical, { nFiles, changed, after, graph, newOf }: LexicalPatch): Uint8Array {
  const covered = graph.dead.slice()
  const isChanged = new Uint8Array(nFiles)
  for (const f of changed) isChanged[f] = 1
  for (let d = 0; d < old.definitions.length; d++) {
    const f = old.fileOfDefinition[d]
    if (f < nFiles && isChanged[f] === 0) covered[newOf[old.definitions[d]]] = 1
  }
  for (const { node, definitionNodes } of after) {
    covered[node] = 1
    for (const v of definitionNodes) if (v !== NONE) covered[v] = 1
  }
  return covered
}

/** What the old index holds behind the files with text. */
function bareFilesOf({ definitions, fileOfDefinition }: Lexical, nFiles: number, graph: Graph): LexicalFile[] {
  const covered = graph.dead.slice()
  for (let d = 0; d < definitions.length; d++) if (fileOfDefinition[d] < nFiles) covered[definitions[d]] = 1
  return filesBeside(covered, graph)
}

/** Where documents have gone to, -1 for those done anew, and the number of each new one. */
interface Numbering {
  newOf: Int32Array
  ofFresh: Uint32Array
}

function numberDocuments(old: Lexical, { nFiles, changed, newOf }: LexicalPatch, documents: Documents, nBare: number) {
  const isChanged = new Uint8Array(nFiles)
  for (const f of changed) isChanged[f] = 1
  const nNewFiles = nFiles + nBare
  const fileNumbers: Numbering = {
    newOf: new Int32Array(old.files.length).fill(-1),
    ofFresh: Uint32Array.from({ length: changed.length + nBare }, (_, i) =>
      i < changed.length ? changed[i] : nFiles + i - changed.length,
    ),
  }
  for (let f = 0; f < nFiles; f++) if (isChanged[f] === 0) fileNumbers.newOf[f] = f

  const oldFirst = new Uint32Array(old.files.length + 1)
  for (const f of old.fileOfDefinition) oldFirst[f + 1]++
  for (let f = 0; f < old.files.length; f++) oldFirst[f + 1] += oldFirst[f]
  const freshEnd = (i: number) => documents.firstDefinition[i + 1] ?? documents.nodes.length

  const fileNodes = new Uint32Array(nNewFiles)
  const definitionNodes = new Uint32Array(old.definitions.length + documents.nodes.length)
  const fileOfDefinition = new Uint32Array(definitionNodes.length)
  let nDefinitions = 0
  const definitionNumbers: Numbering = {
    newOf: new Int32Array(old.definitions.length).fill(-1),
    ofFresh: new Uint32Array(documents.nodes.length),
  }
  let next = 0
  for (let f = 0; f < nNewFiles; f++) {
    if (f < nFiles && isChanged[f] === 0) {
      fileNodes[f] = newOf[old.files[f]]
      for (let d = oldFirst[f]; d < oldFirst[f + 1]; d++) {
        definitionNumbers.newOf[d] = nDefinitions
        definitionNodes[nDefinitions] = newOf[old.definitions[d]]
        fileOfDefinition[nDefinitions++] = f
      }
      continue
    }
    const i = next++
    fileNodes[f] = documents.nodes[documents.firstDefinition[i]]
    for (let d = documents.firstDefinition[i]; d < freshEnd(i); d++) {
      definitionNumbers.ofFresh[d] = nDefinitions
      definitionNodes[nDefinitions] = documents.nodes[d]
      fileOfDefinition[nDefinitions++] = f
    }
  }
  return {
    files: fileNumbers,
    definitions: definitionNumbers,
    fileNodes,
    definitionNodes: definitionNodes.slice(0, nDefinitions),
    fileOfDefinition: fileOfDefinition.slice(0, nDefinitions),
  }
}

interface Terms {
  termBytes: Uint8Array
  termOffsets: Uint32Array
}

/** Terms of both lists in byte order; position in either, -1 for none. */
interface MergedTerms {
  ofOld: Int32Array
  ofFresh: Int32Array
}

function mergeTerms(old: Terms, fresh: Terms): MergedTerms {
  const nOld = old.termOffsets.length - 1
  const nFresh = fresh.termOffsets.length - 1
  const ofOld = new Int32Array(nOld + nFresh)
  const ofFresh = new Int32Array(nOld + nFresh)
  let n = 0
  for (let a = 0, b = 0; a < nOld || b < nFresh; n++) {
    const order = a === nOld ? 1 : b === nFresh ? -1 : compareTerms(old, a, fresh, b)
    ofOld[n] = order <= 0 ? a++ : -1
    ofFresh[n] = order >= 0 ? b++ : -1
  }
  return { ofOld: ofOld.subarray(0, n), ofFresh: ofFresh.subarray(0, n) }
}

function compareTerms(a: Terms, i: number, b: Terms, j: number): number {
  let at = a.termOffsets[i]
  let other = b.termOffsets[j]
  const end = a.termOffsets[i + 1]
  const otherEnd = b.termOffsets[j + 1]
  for (; at < end && other < otherEnd; at++, other++) {
    const difference = a.termBytes[at] - b.termBytes[other]
    if (difference !== 0) return difference
  }
  return end - at - (otherEnd - other)
}

interface Part extends Numbering {
  old: Postings
  fresh: Postings
}

/** 1 for terms that some file still holds. */
function keptTerms({ ofOld, ofFresh }: MergedTerms, { old: { offsets, docs }, newOf }: Part): Uint8Array {
  const kept = new Uint8Array(ofOld.length)
  for (let t = 0; t < ofOld.length; t++) {
    if (ofFresh[t] >= 0) {
      kept[t] = 1
      continue
    }
    const end = offsets[ofOld[t] + 1]
    let i = offsets[ofOld[t]]
    while (i < end && newOf[docs[i]] < 0) i++
    if (i < end) kept[t] = 1
  }
  return kept
}

function termColumns({ ofOld, ofFresh }: MergedTerms, kept: Uint8Array, old: Terms, fresh: Terms): Terms {
  const termBytes = new Uint8Array(old.termBytes.length + fresh.termBytes.length)
  const termOffsets = new Uint32Array(ofOld.length + 1)
  let n = 0
  for (let t = 0; t < ofOld.length; ) {
    if (kept[t] === 0) {
      t++
      continue
    }
    // old terms that stay together are copied at once
    const [from, term] = ofOld[t] >= 0 ? [old, ofOld[t]] : [fresh, ofFresh[t]]
    let end = t + 1
    if (from === old) while (end < ofOld.length && kept[end] === 1 && ofOld[end] === term + end - t) end++
    const start = from.termOffsets[term]
    const at = termOffsets[n]
    termBytes.set(from.termBytes.subarray(start, from.termOffsets[term + end - t]), at)
    for (let i = 1; i <= end - t; i++) termOffsets[++n] = at + from.termOffsets[term + i] - start
    t = end
  }
  return { termBytes: termBytes.subarray(0, termOffsets[n]), termOffsets: termOffsets.subarray(0, n + 1) }
}

function mergePostings({ ofOld, ofFresh }: MergedTerms, kept: Uint8Array, part: Part): Postings {
  const { newOf, ofFresh: freshDocs } = part
  const { offsets: oldOffsets, docs: oldDocs, impacts: oldImpacts } = part.old
  const { offsets: newOffsets, docs: newDocs, impacts: newImpacts } = part.fresh
  let nTerms = 0
  for (const it of kept) nTerms += it
  const offsets = new Uint32Array(nTerms + 1)
  const docs = new Uint32Array(oldDocs.length + newDocs.length)
  const impacts = new Uint16Array(docs.length)
  let n = 0
  let at = 0
  for (let t = 0; t < ofOld.length; t++) {
    if (kept[t] === 0) continue
    const term = ofOld[t]
    const added = ofFresh[t]
    let b = added < 0 ? 0 : newOffsets[added]
    const bEnd = added < 0 ? 0 : newOffsets[added + 1]
    const aEnd = term < 0 ? 0 : oldOffsets[term + 1]
    for (let a = term < 0 ? 0 : oldOffsets[term]; a < aEnd; a++) {
      const doc = newOf[oldDocs[a]]
      if (doc < 0) continue
      for (; b < bEnd && freshDocs[newDocs[b]] < doc; b++, at++) {
        docs[at] = freshDocs[newDocs[b]]
        impacts[at] = newImpacts[b]
      }
      docs[at] = doc
      impacts[at++] = oldImpacts[a]
    }
    for (; b < bEnd; b++, at++) {
      docs[at] = freshDocs[newDocs[b]]
      impacts[at] = newImpacts[b]
    }
    offsets[++n] = at
  }
  return { offsets, docs: docs.subarray(0, at), impacts: impacts.subarray(0, at) }
}
