import type { UserStore } from '../identity/users.ts'
import type { Notice, Notifier } from '../notifications/notifier.ts'

export interface RootNoticeDeps {
  readonly notifier: Notifier
  readonly users: Pick<UserStore, 'root'>
}

/** Notifies the root user that a requested test of all channels has come to its end. */
export const tellAllTested = (
  deps: RootNoticeDeps,
  run: { readonly id: string; readonly at: number },
): Promise<void> =>
  tellRoot(deps, {
    type: 'channel_test',
    causationId: run.id,
    at: run.at,
    title: '通道测试完成',
    content: '所有通道测试已完成',
    values: [],
    english: {
      title: 'The test of channels is done',
      content: 'All channels have been tested.',
      values: [],
    },
  })

/** Notifies the root user; before the setup there is none. */
export async function tellRoot(
  { notifier, users }: RootNoticeDeps,
  notice: Omit<Notice, 'userId'>,
): Promise<void> {
  const root = await users.root()
  if (root !== null) await notifier.notify({ ...notice, userId: root.id })
}
