/** Tells people something; how and when it reaches them is the adapter's business. */
export interface Notifier {
  /** Takes a notice over for good; the same cause, user and type again is the same notice. */
  notify(notice: Notice): Promise<void>
}

/** Shape of console-api 5.3: `content` keeps its `{{value}}` placeholders, which `values` fill in order. */
export interface Notice {
  readonly userId: number
  readonly type: 'quota_adjusted'
  /** Id of the event that it is about. */
  readonly causationId: string
  readonly title: string
  readonly content: string
  readonly values: readonly string[]
  /** When what it is about happened, unix milliseconds. */
  readonly at: number
}
