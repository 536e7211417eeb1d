/** 32-bit hashes: FNV-1a for texts, and a faster one over whole buffers for checksums. */

const OFFSET_BASIS = 0x811c9dc5
const PRIME = 0x01000193

/** FNV-1a over `bytes[start … end - 1]`, unsigned. */
export function fnv1aBytes(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let hash = OFFSET_BASIS
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], PRIME)
  return hash >>> 0
}

/** FNV-1a over the UTF-8 bytes of a text, unsigned. A lone surrogate counts as U+FFFD. */
export function fnv1a(text: string): number {
  let hash = OFFSET_BASIS
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 0x80) return fnv1aBytes(encoder.encode(text))
    hash = Math.imul(hash ^ code, PRIME)
  }
  return hash >>> 0
}

const encoder = new TextEncoder()

/**
 * Checksum of a buffer, unsigned. It works on 32-bit words in four lanes that do not wait for each other, so
 * it runs at the speed of memory; a changed byte always changes it, since every step is a bijection of its
 * lane. Bytes that do not begin at a multiple of 4 in their `ArrayBuffer` are copied first.
 */
export function checksum(bytes: Uint8Array): number {
  if (bytes.byteOffset % 4 !== 0) return checksum(bytes.slice())
  const nWords = bytes.length >>> 2
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, nWords)
  let a = 0x9e3779b1
  let b = 0x85ebca77
  let c = 0xc2b2ae3d
  let d = 0x27d4eb2f
  let i = 0
  for (const end = nWords - 3; i < end; i += 4) {
    a = Math.imul(((a << 5) | (a >>> 27)) ^ words[i], 0x9e3779b1)
    b = Math.imul(((b << 5) | (b >>> 27)) ^ words[i + 1], 0x9e3779b1)
    c = Math.imul(((c << 5) | (c >>> 27)) ^ words[i + 2], 0x9e3779b1)
    d = Math.imul(((d << 5) | (d >>> 27)) ^ words[i + 3], 0x9e3779b1)
  }
  for (; i < nWords; i++) a = Math.imul(((a << 5) | (a >>> 27)) ^ words[i], 0x9e3779b1)
  for (let k = nWords * 4; k < bytes.length; k++) b = Math.imul(((b << 5) | (b >>> 27)) ^ bytes[k], 0x9e3779b1)

  // folding one lane after the other keeps each step a bijection
  let hash = bytes.length | 0
  for (const lane of [a, b, c, d]) {
    hash = Math.imul(hash ^ lane, 0x85ebca6b)
    hash ^= hash >>> 15
  }
  return hash >>> 0
}
