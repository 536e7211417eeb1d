/**
 * Who may ask. Without a token only programs on this machine reach the server, so what is left to keep out is a web
 * page in this machine's browser: one that has taken on our address by its name server (`Host`), and one that sends
 * requests from where it is (`Origin`, `Sec-Fetch-Site`, and a type of content that no form can send).
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import { HttpFailure } from '#server/http/failure'

export interface GuardOptions {
  /** '' when none is asked for. */
  token: string
  /** Other machines may ask, with the token. */
  isRemote: boolean
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** Whether a host, as in an address, is this machine and no other: `localhost`, `127.0.0.1`, `[::1]`. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1')
  if (name.toLowerCase() === 'localhost') return true
  const family = isIP(name)
  return family !== 0 && LOOPBACK.check(name, family === 4 ? 'ipv4' : 'ipv6')
}

/** Throws an `HttpFailure` when a request may not be served. */
export function guard(request: Request, path: string, { token, isRemote }: GuardOptions): void {
  const host = request.headers.get('host') ?? ''
  if (!isRemote && !isLoopback(hostName(host)))
    throw new HttpFailure(403, 'forbidden_host', `Requests for the host ${JSON.stringify(host)} are not served.`, {
      hint: 'Ask for localhost or 127.0.0.1.',
    })
  const origin = request.headers.get('origin')
  if (origin !== null && !isOwnOrigin(origin, host)) throw foreign(origin)
  if (!isData(path)) return
  if (origin === null && request.headers.get('sec-fetch-site') === 'cross-site') throw foreign('another site')
  if (token !== '' && !bringsToken(request.headers.get('authorization') ?? '', token))
    throw new HttpFailure(
      401,
      'unauthorized',
      'This server asks for a token.',
      { hint: 'Send it as Authorization: Bearer …' },
      { 'WWW-Authenticate': 'Bearer' },
    )
}

function foreign(origin: string): HttpFailure {
  return new HttpFailure(403, 'forbidden_origin', `Requests from ${origin.slice(0, 200)} are not served.`, {
    hint: 'Ask from a page of this server, or from a program.',
  })
}

/** What is not data is the page itself, which holds nothing of the project. */
function isData(path: string): boolean {
  return path === '/mcp' || path.startsWith('/mcp/') || path === '/api' || path.startsWith('/api/')
}

/** Host of a `Host` header, without its port; '' when it is none. */
function hostName(header: string): string {
  const address = `http://${header}/`
  return /[\s/\\?#@]/.test(header) || !URL.canParse(address) ? '' : new URL(address).hostname
}

/** A page of this server, or of another one on this machine. */
function isOwnOrigin(origin: string, host: string): boolean {
  if (!/^https?:\/\//.test(origin) || !URL.canParse(origin)) return false
  const url = new URL(origin)
  return url.host === host.toLowerCase() || isLoopback(url.hostname)
}

/** Compares digests, which have one length, in a time that does not depend on where they differ. */
function bringsToken(header: string, token: string): boolean {
  const given = /^bearer +(.+)$/i.exec(header)?.[1] ?? ''
  return timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** What browsers are told about everything that comes from here. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/** For a page that is being worked on, served by another server on this machine. */
export const DEV_HEADERS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, DELETE, OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Mcp-Session-Id, Mcp-Protocol-Version',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}
