/**
 * Content that people asked for and got by a task, as upstream said it. Not in events (see task/events.ts); the command
 * API's table answers. Texts are '' when there is nothing, also after the user was forgotten.
 */
export interface TaskContent {
  readonly prompt: string
  readonly promptEn: string
  readonly description: string
  readonly state: string
  readonly imageUrl: string
  /** Upstream's own words for why it failed. */
  readonly failReason: string
  /** JSON texts. */
  readonly buttons: string
  readonly properties: string
  readonly data: string
}

/** Contents by task; ids without one are left out. */
export type TaskContents = (ids: readonly number[]) => Promise<ReadonlyMap<number, TaskContent>>

export const NO_CONTENT: TaskContent = {
  prompt: '',
  promptEn: '',
  description: '',
  state: '',
  imageUrl: '',
  failReason: '',
  buttons: '',
  properties: '',
  data: '',
}
