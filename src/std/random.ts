/** A seeded source of random numbers (mulberry32): small, fast, the same on every machine. */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** An unsigned 32-bit integer. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let t = this.state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }

  /** A number in [0, 1). */
  float(): number {
    return this.next() / 0x1_0000_0000
  }

  /** An integer in `0 … n - 1`; `n` at least 1. */
  below(n: number): number {
    return Math.floor(this.float() * n)
  }
}
