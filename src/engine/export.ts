/** The graph in the formats that other programs read. */

import { DEAD_EDGE, type Graph, keyOf, labelOf, PRIMARY, relationOf, TIERS, text, typeName } from '#graph/graph'
import { writeJson } from '#graph/json'

export const EXPORT_FORMATS = ['json', 'graphml', 'dot', 'cypher'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Pieces of text, one after the other. Every edge once, as it was added, with its present weight. */
export function exportGraph(graph: Graph, format: ExportFormat): Iterable<string> {
  switch (format) {
    case 'json':
      return writeJson(graph)
    case 'graphml':
      return graphml(graph)
    case 'dot':
      return dot(graph)
    case 'cypher':
      return cypher(graph)
  }
}

function* graphml(graph: Graph): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
  for (const name of ['label', 'type', 'path'])
    yield `<key id="${name}" for="node" attr.name="${name}" attr.type="string"/>\n`
  yield '<key id="line" for="node" attr.name="line" attr.type="int"/>\n'
  yield '<key id="pagerank" for="node" attr.name="pagerank" attr.type="double"/>\n'
  for (const name of ['relation', 'confidence'])
    yield `<key id="${name}" for="edge" attr.name="${name}" attr.type="string"/>\n`
  yield '<key id="weight" for="edge" attr.name="weight" attr.type="double"/>\n<graph edgedefault="directed">\n'
  for (const v of living(graph)) {
    const data = [
      ['label', labelOf(graph, v)],
      ['type', typeName(graph.types[v])],
      ['path', text(graph, graph.paths[v])],
      ['line', String(graph.lineStart[v])],
      ['pagerank', String(graph.pagerank[v])],
    ]
    yield `<node id="${xml(keyOf(graph, v))}">${data.map(([key, it]) => `<data key="${key}">${xml(it)}</data>`).join('')}</node>\n`
  }
  for (const { source, target, slot } of edges(graph)) {
    const data = [
      ['relation', relationOf(graph, slot)],
      ['confidence', TIERS[graph.tiers[slot]]],
      ['weight', String(graph.weights[slot])],
    ]
    const body = data.map(([key, it]) => `<data key="${key}">${xml(it)}</data>`).join('')
    yield `<edge source="${xml(keyOf(graph, source))}" target="${xml(keyOf(graph, target))}">${body}</edge>\n`
  }
  yield '</graph>\n</graphml>\n'
}

function* dot(graph: Graph): Generator<string> {
  yield 'digraph m1nd {\n'
  for (const v of living(graph))
    yield `  ${JSON.stringify(keyOf(graph, v))} [label=${JSON.stringify(labelOf(graph, v))}];\n`
  for (const { source, target, slot } of edges(graph)) {
    const ends = `${JSON.stringify(keyOf(graph, source))} -> ${JSON.stringify(keyOf(graph, target))}`
    yield `  ${ends} [label=${JSON.stringify(relationOf(graph, slot))}, weight=${graph.weights[slot]}];\n`
  }
  yield '}\n'
}

function* cypher(graph: Graph): Generator<string> {
  yield 'CREATE CONSTRAINT m1nd_id IF NOT EXISTS FOR (n:Node) REQUIRE n.id IS UNIQUE;\n'
  for (const v of living(graph)) {
    const fields = {
      id: keyOf(graph, v),
      label: labelOf(graph, v),
      type: typeName(graph.types[v]),
      path: text(graph, graph.paths[v]),
    }
    const list = Object.entries(fields).map(([name, it]) => `${name}: ${quoted(it)}`)
    yield `CREATE (:Node {${list.join(', ')}, line: ${graph.lineStart[v]}, pagerank: ${graph.pagerank[v]}});\n`
  }
  for (const { source, target, slot } of edges(graph)) {
    const relation = relationOf(graph, slot)
      .toUpperCase()
      .replace(/[^A-Z0-9_]/g, '_')
    const ends = `MATCH (a:Node {id: ${quoted(keyOf(graph, source))}}), (b:Node {id: ${quoted(keyOf(graph, target))}})`
    yield `${ends} CREATE (a)-[:${relation} {weight: ${graph.weights[slot]}, confidence: '${TIERS[graph.tiers[slot]]}'}]->(b);\n`
  }
}

function* living(graph: Graph): Generator<number> {
  for (let v = 0; v < graph.nNodes; v++) if (!graph.dead[v]) yield v
}

function* edges(graph: Graph): Generator<{ source: number; target: number; slot: number }> {
  for (const source of living(graph)) {
    for (let slot = graph.out.offsets[source]; slot < graph.out.offsets[source + 1]; slot++) {
      if ((graph.flags[slot] & (PRIMARY | DEAD_EDGE)) === PRIMARY)
        yield { source, target: graph.out.targets[slot], slot }
    }
  }
}

const XML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Characters that XML cannot hold at all are left out. */
function xml(value: string): string {
  return value.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '').replace(/[&<>"]/g, (it) => XML[it])
}

function quoted(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}
