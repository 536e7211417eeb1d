import { visible } from '#server/terminal'

/** Lines for the operator, on standard error. Once nobody reads them any more they are dropped. */
export function createLog(): (line: string) => void {
  let open = true
  process.stderr.on('error', () => {
    open = false
  })
  return (line) => {
    if (open) process.stderr.write(`[m1nd] ${visible(line).replaceAll('\n', '\n       ')}\n`)
  }
}
