import { useSyncExternalStore } from 'react'
import { ApiError } from '../core/api.ts'
import { i18n } from '../core/i18n.ts'

/** How long a message stays; failures stay longer because they have to be read and perhaps copied. */
const SUCCESS_MS = 3000
const FAILURE_MS = 10_000

let isNeeded = false
/** The hint on the screen, which is done with as soon as something else happens. */
let hintId: string | undefined
const listeners = new Set<() => void>()

/** Success that is on the screen, by its words: said again, it takes the place of the one before. */
const doneIds = new Map<string, string>()

/** Says that something was done. */
export function notifySuccess(title: string): void {
  void show({ title, type: 'success', duration: SUCCESS_MS })
}

/** Says something that needs attention without being a failure; whatever is said next takes its place. */
export function notifyInfo(title: string): void {
  void show({ title, type: 'info', duration: FAILURE_MS, closable: true })
}

/** Says what failed, with the request id to copy when the server gave one. */
export function notifyFailure(error: unknown): void {
  const requestId = error instanceof ApiError ? error.requestId : ''
  const message = error instanceof Error ? error.message : String(error)
  const title = message || i18n.t('failure.serverError')
  void show({ title, type: 'error', duration: FAILURE_MS, closable: true, meta: { requestId } })
}

/** True from the first message on; until then nothing of the messages' machinery is loaded. */
export function useHasNotifications(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isNeeded,
  )
}

interface Message {
  readonly title: string
  readonly type: 'success' | 'info' | 'error'
  readonly duration: number
  readonly closable?: boolean
  readonly meta?: { readonly requestId: string }
}

async function show(message: Message): Promise<void> {
  isNeeded = true
  for (const listener of listeners) listener()
  const { toaster } = await import('./notifications.tsx')
  if (hintId !== undefined) toaster.remove(hintId)
  const { type, title } = message
  const sameBefore = type === 'success' ? doneIds.get(title) : undefined
  if (sameBefore !== undefined) toaster.remove(sameBefore)
  const id = toaster.create(message)
  if (type === 'success') doneIds.set(title, id)
  hintId = message.type === 'info' ? id : undefined
}
