/** Indexes as named typed arrays, the form in which snapshots keep them. */

export type TypedArray = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array
export type ColumnSet = Readonly<Record<string, TypedArray>>

/** The columns of `columns`, with `prefix` before their names. */
export function prefixed(prefix: string, columns: ColumnSet): Record<string, TypedArray> {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [prefix + name, column]))
}

/** A reader of columns by name that refuses a missing column or one of another element type. */
export function columnReader(columns: ColumnSet, prefix: string) {
  const read = <T extends TypedArray>(name: string, type: new (length: number) => T): T => {
    const column = columns[prefix + name]
    if (column instanceof type) return column
    throw new Error(
      `column ${prefix}${name}: expected ${type.name}, found ${column === undefined ? 'none' : column.constructor.name}`,
    )
  }
  return {
    bytes: (name: string) => read(name, Uint8Array),
    shorts: (name: string) => read(name, Uint16Array),
    ints: (name: string) => read(name, Uint32Array),
    floats: (name: string) => read(name, Float32Array),
  }
}
