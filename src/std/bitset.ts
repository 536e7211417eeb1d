/** A fixed number of bits, all clear at first. */
export class Bitset {
  readonly words: Uint32Array

  constructor(length: number) {
    this.words = new Uint32Array((length + 31) >>> 5)
  }

  has(i: number): boolean {
    return (this.words[i >>> 5] & (1 << (i & 31))) !== 0
  }

  /** Sets a bit and says whether it was clear before. */
  add(i: number): boolean {
    const bit = 1 << (i & 31)
    const before = this.words[i >>> 5]
    this.words[i >>> 5] = before | bit
    return (before & bit) === 0
  }

  delete(i: number): void {
    this.words[i >>> 5] &= ~(1 << (i & 31))
  }

  clear(): void {
    this.words.fill(0)
  }

  /** Number of set bits. */
  count(): number {
    let total = 0
    for (let word of this.words) {
      word -= (word >>> 1) & 0x55555555
      word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
      total += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
    }
    return total
  }
}
