import { generateInput } from './generate.ts'
import { fnv1aBytes } from '#std/hash'
const input = generateInput({ nodes: 100000, edges: 400000, seed: 1 })
const best = (name: string, f: () => unknown) => { let b = 1e9; for (let i = 0; i < 15; i++) { const t = performance.now(); f(); b = Math.min(b, performance.now() - t) } console.log(name.padEnd(20), b.toFixed(1)) }
const keys = input.nodes.map(n => n.key)
const flat = JSON.parse(JSON.stringify(keys)) as string[]
let total = 0; for (const k of keys) total += k.length
console.log('avg', total / keys.length)
const bytes = new Uint8Array(total * 3)
const writeAll = (ks: string[]) => { let at = 0; for (const k of ks) { for (let i = 0; i < k.length; i++) { const c = k.charCodeAt(i); if (c < 128) bytes[at++] = c } } return at }
best('write cons', () => writeAll(keys)); best('write flat', () => writeAll(flat))
const enc = new TextEncoder()
best('encodeInto', () => { let at = 0; for (const k of flat) { at += enc.encodeInto(k, bytes.subarray(at)).written } })
best('encode joined', () => enc.encode(flat.join('')))
best('hash', () => { let h = 0; let at = 0; for (const k of flat) { h ^= fnv1aBytes(bytes, at, at + k.length); at += k.length } return h })
const hashChars = (k: string) => { let h = 0x811c9dc5; for (let i = 0; i < k.length; i++) h = Math.imul(h ^ k.charCodeAt(i), 0x01000193); return h >>> 0 }
best('hash chars', () => { let h = 0; for (const k of flat) h ^= hashChars(k); return h })
best('map', () => { const s = new Map<string, number>(); for (const n of flat) s.set(n, s.size) })
const m = new Map<string, number>(); for (const n of flat) m.set(n, m.size)
best('map get', () => { let s = 0; for (const n of flat) s += m.get(n)!; return s })
