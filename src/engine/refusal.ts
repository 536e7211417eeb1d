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
