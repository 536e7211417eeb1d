/** Configuration files of the programs that start MCP servers: what to write into them, and how to take it back. */

import { createHash } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { applyEdits, modify, parse, type ParseError, printParseErrorCode } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { homeFolder, makeFolder } from '#engine/folders'

/** How a server is started. */
export interface Start {
  command: string
  args: string[]
}

interface Client {
  title: string
  /** Where its configuration lies; in the project when it has one for projects. */
  file: (project: string) => string
  /** Path of our entry in a JSON file, or TOML. */
  form: { json: string[]; entry: (start: Start) => object } | 'toml'
}

const NAME = 'm1nd'
const plain = ({ command, args }: Start) => ({ command, args })

export const CLIENTS: Readonly<Record<string, Client>> = {
  'claude-code': {
    title: 'Claude Code',
    file: (project) => join(project, '.mcp.json'),
    form: { json: ['mcpServers'], entry: plain },
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    file: () => join(applicationData('Claude'), 'claude_desktop_config.json'),
    form: { json: ['mcpServers'], entry: plain },
  },
  codex: { title: 'Codex', file: () => join(homeFolder(), '.codex', 'config.toml'), form: 'toml' },
  cursor: {
    title: 'Cursor',
    file: (project) => join(project, '.cursor', 'mcp.json'),
    form: { json: ['mcpServers'], entry: plain },
  },
  gemini: {
    title: 'Gemini CLI',
    file: (project) => join(project, '.gemini', 'settings.json'),
    form: { json: ['mcpServers'], entry: plain },
  },
  opencode: {
    title: 'opencode',
    file: (project) => join(project, 'opencode.json'),
    form: {
      json: ['mcp'],
      entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
    },
  },
  vscode: {
    title: 'VS Code',
    file: (project) => join(project, '.vscode', 'mcp.json'),
    form: { json: ['servers'], entry: (start) => ({ type: 'stdio', ...plain(start) }) },
  },
  windsurf: {
    title: 'Windsurf',
    file: () => join(homeFolder(), '.codeium', 'windsurf', 'mcp_config.json'),
    form: { json: ['mcpServers'], entry: plain },
  },
  zed: {
    title: 'Zed',
    file: () => join(process.env.XDG_CONFIG_HOME || join(homeFolder(), '.config'), 'zed', 'settings.json'),
    form: { json: ['context_servers'], entry: (start) => ({ source: 'custom', ...plain(start) }) },
  },
}

function applicationData(name: string): string {
  if (process.platform === 'darwin') return join(homeFolder(), 'Library', 'Application Support', name)
  if (process.platform === 'win32') return join(process.env.APPDATA || join(homeFolder(), 'AppData', 'Roaming'), name)
  return join(process.env.XDG_CONFIG_HOME || join(homeFolder(), '.config'), name)
}

/** A file that is not what it should be. */
export class ClientFileError extends Error {}

/** The text of a client's file with our entry in it; all else stays as it is, comments too. */
export function withEntry(client: string, text: string, start: Start): string {
  const { form } = CLIENTS[client]
  return form === 'toml' ? inToml(text, start) : inJson(text, [...form.json, NAME], form.entry(start))
}

function inJson(text: string, path: string[], entry: object): string {
  const before = text.trim() === '' ? '{}\n' : text
  const errors: ParseError[] = []
  const value: unknown = parse(before, errors, { allowTrailingComma: true })
  if (errors.length > 0) {
    const line = before.slice(0, errors[0].offset).split('\n').length
    throw new ClientFileError(`line ${line} is no JSON (${printParseErrorCode(errors[0].error)})`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ClientFileError('it holds no JSON object')
  const indent = /^[ \t]+/m.exec(before)?.[0] ?? '  '
  const formattingOptions = { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length }
  return applyEdits(before, modify(before, path, entry, { formattingOptions }))
}

function inToml(text: string, { command, args }: Start): string {
  try {
    parseToml(text)
  } catch (error) {
    throw new ClientFileError(
      `it is no TOML (${error instanceof Error ? error.message.split('\n')[0] : String(error)})`,
    )
  }
  const block = [
    `[mcp_servers.${NAME}]`,
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((it) => JSON.stringify(it)).join(', ')}]`,
    '',
  ].join('\n')
  // our own table, up to the next one
  const own = new RegExp(`^\\[mcp_servers\\.${NAME}\\][^\\n]*\\n(?:(?!\\[)[^\\n]*\\n?)*`, 'm')
  if (own.test(text)) return text.replace(own, () => block)
  const gap = text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n'
  return text + gap + block
}

/** What stood in a file before, null when there was none, and what was written. */
interface Backup {
  file: string
  before: string | null
  after: string
}

const backupFile = (home: string, file: string) =>
  join(home, 'backups', `${createHash('sha256').update(file).digest('hex').slice(0, 16)}.json`)

/** Puts our entry into a client's file. What stood there is kept under `home` first; an older copy of it stays. */
export function writeEntry(client: string, { file, home, start }: { file: string; home: string; start: Start }): void {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : null
  const after = withEntry(client, before ?? '', start)
  if (after === before) return
  const kept = readBackup(home, file)
  // written twice: what is taken back is what stood there before the first time
  const backup: Backup = { file, before: kept !== null && kept.after === before ? kept.before : before, after }
  makeFolder(join(home, 'backups'))
  replace(backupFile(home, file), JSON.stringify(backup))
  makeFolder(dirname(file), 0o777)
  replace(file, after)
}

/** Puts back what stood in a file. Throws `ClientFileError` when nothing was kept or the file has changed since. */
export function undoEntry({ file, home }: { file: string; home: string }): 'restored' | 'removed' {
  const backup = readBackup(home, file)
  if (backup === null) throw new ClientFileError('nothing was written there by m1nd')
  const now = existsSync(file) ? readFileSync(file, 'utf8') : null
  if (now !== backup.after)
    throw new ClientFileError(`it was changed since; what stood there before is kept in ${backupFile(home, file)}`)
  if (backup.before === null) rmSync(file)
  else replace(file, backup.before)
  rmSync(backupFile(home, file))
  return backup.before === null ? 'removed' : 'restored'
}

function readBackup(home: string, file: string): Backup | null {
  const path = backupFile(home, file)
  if (!existsSync(path)) return null
  const it: Backup = JSON.parse(readFileSync(path, 'utf8'))
  return it.file === file ? it : null
}

function replace(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`
  const handle = openSync(temporary, 'wx', 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(temporary, file)
}
