import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { PublishJob, PublishReport } from './publish-process.ts'

/** A process that publishes consumption events on demand. */
export interface Publisher {
  publish(job: PublishJob): Promise<PublishReport>
  stop(): Promise<void>
}

/** Starts it and waits until it has its stream. */
export async function startPublisher(natsUrl: string): Promise<Publisher> {
  const path = fileURLToPath(new URL('publish-process.ts', import.meta.url))
  const child = fork(path, [natsUrl])
  const ended = once(child, 'exit').then(() => 'ended' as const)
  const answer = async (): Promise<unknown> => {
    const said = await Promise.race([once(child, 'message'), ended])
    if (said === 'ended') throw new Error('the publisher ended before it answered')
    return said[0]
  }
  await answer()
  return {
    publish(job) {
      const report = answer()
      child.send(job)
      return report as Promise<PublishReport>
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
