/** Tells people something; how and when it reaches them is the adapter's business. */
export interface Notifier {
  /** Takes a notice over for good; the same cause, user and type again is the same notice. */
  notify(notice: Notice): Promise<void>
}

/** In Chinese; readers of English get `english` instead. */
export interface Notice extends NoticeText {
  readonly userId: number
  readonly type: NoticeType
  /** Id of the event that it is about. */
  readonly causationId: string
  /** When the subject of the notice happened, unix milliseconds. */
  readonly at: number
  readonly english?: NoticeText
}

/** As webhooks get it (console-api 5.3). */
export interface NoticeText {
  /** Plain text; the subject of a mail. */
  readonly title: string
  /** HTML with `{{value}}` placeholders, which `values` (plain texts) fill in order. */
  readonly content: string
  readonly values: readonly string[]
}

/** The subject of a notice; of each there are so many per user within a while, and no more (NOTIFY_LIMIT_COUNT). */
export type NoticeType =
  | 'quota_adjusted'
  | 'quota_exceed'
  /** Id of the channel and the status that it has from now on. */
  | `channel_update_${number}_${number}`
  | 'channel_test'
