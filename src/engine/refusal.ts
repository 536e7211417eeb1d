/** A request that cannot be done, for a reason that the caller can mend. */
export class Refusal extends Error {
  /** One of the codes that tools answer with. */
  readonly code: string
  readonly hint: string
  /** The offending value, '' when the message is about none. */
  readonly detail: string

  constructor(code: string, message: string, hint: string, detail = '') {
    super(message)
    this.code = code
    this.hint = hint
    this.detail = detail
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
