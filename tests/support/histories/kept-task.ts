import { taskPayloads } from '@tollgate/command-api/tasks/payloads.ts'
import { taskService } from '@tollgate/command-api/tasks/task-service.ts'
import { channelId, userId } from '@tollgate/domain/ids.ts'
import type { TaskPlatform } from '@tollgate/domain/task/events.ts'
import type { Engines } from '@tollgate/infra/processes/engines/engines.ts'
import { systemClock, systemRandomness } from '@tollgate/infra/processes/runtime.ts'

const CAUSE = { actor: 'system', correlationId: 'test', causationId: null } as const

/** Has a running product keep a free task of a user that upstream finished: what submits tasks is not needed for it. */
export async function keepTask(
  { db, store }: Pick<Engines, 'db' | 'store'>,
  platform: TaskPlatform,
  user: number,
  { upstreamId = `${platform}-1`, imageUrl = 'https://images.example/1.png' } = {},
): Promise<void> {
  const payloads = taskPayloads(db, systemClock)
  const holdService = taskService({
    store,
    clock: systemClock,
    randomness: systemRandomness,
    payloads,
  })
  const { task } = await holdService.accept(
    {
      user: userId(user),
      token: null,
      channel: channelId(1),
      platform,
      action: platform === 'mj' ? 'IMAGINE' : 'MUSIC',
      upstreamId,
      code: 1,
      charge: null,
    },
    { prompt: 'a cat', data: '[{"title":"cat"}]' },
  )
  await holdService.submit(task, CAUSE)
  await holdService.report(
    task,
    { type: 'SucceedTask', startedAt: systemClock.now() },
    { imageUrl },
    CAUSE,
  )
}
