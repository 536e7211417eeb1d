/** Agents to choose from; the choice is `agent` in the address. */

import './agent-list.css'
import { link, param } from '../state/route.ts'
import { AGENT } from '../state/server.ts'
import { Ago } from './ago.tsx'

interface AgentListProps {
  /** The view that is shown of one agent. */
  view: string
  agents: readonly { agent: string; said: string; last_ms: number }[]
}

export function AgentList({ view, agents }: AgentListProps) {
  const chosen = param('agent')
  return (
    <ul class="agent-list">
      <li>
        <a href={link(view)} aria-current={chosen === '' ? 'true' : undefined}>
          <span class="agent-name">everyone</span>
        </a>
      </li>
      {agents.map(({ agent, said, last_ms }) => (
        <li key={agent}>
          <a href={link(view, '', { agent })} aria-current={chosen === agent ? 'true' : undefined}>
            <span class="agent-name">{agent === AGENT ? `${agent} (this page)` : agent}</span>
            <span class="quiet">
              {said}, <Ago ms={last_ms} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  )
}
