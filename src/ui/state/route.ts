/** The address of the page as signals, and back. Everything that makes a picture what it is stands in it, so that it can be handed on. */

import { computed, signal } from '@preact/signals'

export interface Address {
  /** First part of the path: name of the view, `graph` for the bare page. */
  view: string
  /** The rest of the path, decoded: a node, a path of the project, or ''. */
  about: string
  params: URLSearchParams
}

/** Path and query, as the browser shows them. */
const shown = signal(location.pathname + location.search)

addEventListener('popstate', () => {
  shown.value = location.pathname + location.search
})

export const address = computed<Address>(() => readAddress(shown.value))

export function readAddress(text: string): Address {
  const { pathname, searchParams } = new URL(text, 'http://page')
  const [view = '', ...rest] = pathname.slice(1).split('/').map(decoded)
  return { view: view || 'graph', about: rest.join('/'), params: searchParams }
}

/** One of the words behind the question mark, '' when it is not there. */
export function param(name: string): string {
  return address.value.params.get(name) ?? ''
}

/** The same where only some words mean something; the first of them stands for all else. */
export function choice<T extends string>(name: string, words: readonly [T, ...T[]]): T {
  const given = param(name)
  return words.find((it) => it === given) ?? words[0]
}

type Params = Readonly<Record<string, string | readonly string[] | null | undefined>>

/** The address of a view: `link('impact', 'file::a.ts', { with: 'file::b.ts' })`. */
export function link(view: string, about = '', params: Params = {}): string {
  const words = new URLSearchParams()
  setWords(words, params)
  return written(view, about, words)
}

/** Goes to an address of this page. */
export function go(to: string, { replace = false } = {}): void {
  if (to === shown.peek()) return
  if (replace) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  shown.value = to
}

/** Changes words behind the question mark; null and '' take a word away. What is looked at stays, so by default it is no step of `back`. */
export function setParams(changes: Params, { replace = true } = {}): void {
  const { view, about, params } = address.peek()
  const words = new URLSearchParams(params)
  setWords(words, changes)
  go(written(view, about, words), { replace })
}

function setWords(words: URLSearchParams, changes: Params): void {
  for (const [name, value] of Object.entries(changes)) {
    words.delete(name)
    const all = typeof value === 'string' ? [value] : (value ?? [])
    for (const it of all) if (it !== '') words.append(name, it)
  }
}

function written(view: string, about: string, words: URLSearchParams): string {
  const path = about === '' ? `/${view}` : `/${view}/${encodeURIComponent(about)}`
  const query = words.toString()
  return query === '' ? path : `${path}?${query}`
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Links of the page change the view in place; everything else (other buttons, new tabs, files of the server) is the browser's. */
export function followLinks(root: HTMLElement): void {
  root.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const anchor = event.target instanceof Element ? event.target.closest('a') : null
    if (anchor === null || anchor.target !== '' || anchor.origin !== location.origin) return
    if (anchor.pathname.startsWith('/api/')) return
    event.preventDefault()
    go(anchor.pathname + anchor.search)
  })
}
