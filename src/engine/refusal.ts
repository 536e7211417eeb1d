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

/** The process that was to answer is gone, or silent. Whether it did what it was asked to is not known. */
export class RelayLost extends Error {
  /** It keeps its connections and says nothing. */
  readonly wasThere: boolean

  constructor(wasThere: boolean) {
    super('the process that owns the state does not answer')
    this.wasThere = wasThere
  }
}
