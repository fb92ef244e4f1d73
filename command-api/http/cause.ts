import type { ApiRequest, RequestCommand } from '../http-contract/api-route.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import type { Deduplication } from '../accounts/processed-causes.ts'

/** The signed-in caller and their command, as the cause of the request's changes. */
export const causeOf = (
  request: Pick<ApiRequest, 'caller' | 'requestId' | 'command'>,
): CommandCause => ({
  actor: request.caller === null ? 'system' : `user:${request.caller.userId}`,
  correlationId: request.requestId,
  causationId: request.command.id,
})

/** Has an account command done once for all repetitions of the request whose only command on that account it is. */
export const onceAs = async ({
  id,
  since,
}: RequestCommand): Promise<{ readonly deduplicateFrom?: Deduplication }> =>
  id === null ? {} : { deduplicateFrom: { position: await since() } }
