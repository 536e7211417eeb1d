/** A request that cannot be done, for a reason that the caller can mend. */
export class Refusal extends Error {
  /** One of the codes that tools answer with. */
  readonly code: string
  readonly hint: string

  constructor(code: string, message: string, hint: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

/** The process that was to answer is gone. Whether it did what it was asked to is not known. */
export class RelayLost extends Error {
  constructor() {
    super('the process that owns the state is gone')
  }
}
