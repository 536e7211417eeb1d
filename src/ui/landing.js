/** Says what the server at this address holds. */

const state = document.getElementById('state')
const facts = document.getElementById('facts')

document.getElementById('mcp').textContent = `${location.origin}/mcp`
document.getElementById('example').textContent = [
  `curl ${location.origin}/api/tools/seek \\`,
  "  -H 'Content-Type: application/json' \\",
  `  -d '{"agent_id": "me", "query": "where is the cart total"}'`,
].join('\n')

function show(rows) {
  facts.replaceChildren(
    ...Object.entries(rows).flatMap(([name, value]) => {
      const term = document.createElement('dt')
      const text = document.createElement('dd')
      term.textContent = name
      text.textContent = String(value)
      return [term, text]
    }),
  )
}

async function ask() {
  const response = await fetch('/api/instance/self')
  const answer = await response.json()
  if (!response.ok) {
    state.textContent = `${answer.message} ${answer.hint ?? ''}`
    return
  }
  const { graph_state: graph, project_root: project } = answer
  state.textContent =
    graph.node_count > 0 ? 'The graph is there.' : 'Nothing has been read yet: call ingest with the path of a project.'
  show({
    project: project ?? 'none',
    nodes: graph.node_count.toLocaleString('en'),
    edges: graph.edge_count.toLocaleString('en'),
    queries: answer.queries_processed,
  })
}

ask().catch((error) => {
  state.textContent = `The server cannot be reached: ${error.message}`
})

const events = new EventSource('/api/events')
for (const name of ['graph_changed', 'tool_result']) events.addEventListener(name, () => ask().catch(() => {}))
