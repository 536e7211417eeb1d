/**
 * One number per node of a large graph where most are absent: a dense column of zeros with a list of what
 * was touched, so that reading and clearing cost only what was reached. 0 means absent.
 */
export class NodeValues {
  /** length nNodes; 0 where nothing was set */
  readonly value: Float64Array
  /** The touched nodes in order of first touch: `nodes[0 … count - 1]`. */
  nodes: Uint32Array
  count = 0

  constructor(nNodes: number) {
    this.value = new Float64Array(nNodes)
    this.nodes = new Uint32Array(Math.min(nNodes, 1024))
  }

  /** Sets a value above 0. */
  set(v: number, value: number): void {
    if (this.value[v] === 0) this.touch(v)
    this.value[v] = value
  }

  /** Keeps the larger of the old and the new value; tells whether it rose. */
  raise(v: number, value: number): boolean {
    const old = this.value[v]
    if (!(value > old)) return false
    if (old === 0) this.touch(v)
    this.value[v] = value
    return true
  }

  add(v: number, value: number): void {
    if (value === 0) return
    if (this.value[v] === 0) this.touch(v)
    this.value[v] += value
  }

  clear(): void {
    const { value, nodes, count } = this
    for (let i = 0; i < count; i++) value[nodes[i]] = 0
    this.count = 0
  }

  private touch(v: number): void {
    if (this.count === this.nodes.length) {
      const nodes = new Uint32Array(Math.min(this.value.length, this.nodes.length * 2))
      nodes.set(this.nodes)
      this.nodes = nodes
    }
    this.nodes[this.count++] = v
  }
}

/**
 * Columns lent for the length of one query, so that a query allocates nothing that grows with the graph.
 * A column that is not given back (because of an exception) is simply lost to the pool.
 */
export class ColumnPool {
  private readonly length: number
  private readonly free: NodeValues[] = []

  constructor(length: number) {
    this.length = length
  }

  take(): NodeValues {
    return this.free.pop() ?? new NodeValues(this.length)
  }

  give(...columns: NodeValues[]): void {
    for (const column of columns) {
      column.clear()
      this.free.push(column)
    }
  }
}

const pools = new WeakMap<object, ColumnPool>()

/** The pool of columns of `length` that belongs to `owner` (a graph or an index) and goes with it. */
export function poolOf(owner: object, length: number): ColumnPool {
  const known = pools.get(owner)
  if (known !== undefined) return known
  const pool = new ColumnPool(length)
  pools.set(owner, pool)
  return pool
}
