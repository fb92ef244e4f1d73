import type { ChannelFacts } from '../directory/facts.ts'
import { untranslatableError, type UpstreamError } from '../upstream/errors.ts'
import type { ModelRequest } from './model-request.ts'

/**
 * Why a request may not go to a channel as it is: it names what lies with the provider, which tells Tollgate's accounts
 * not apart, so that the operator decides who may name it. null = it may go. `paramOf` = the member to blame, where it
 * is not the name itself.
 */
export function refusedObject(
  { providerObjects = [] }: ModelRequest,
  { allowsProviderObjects }: ChannelFacts,
  paramOf: (what: string) => string = (what) => what,
): UpstreamError | null {
  const [what] = providerObjects
  if (what === undefined || allowsProviderObjects) return null
  return untranslatableError(
    paramOf(what),
    `${what} names what lies with the provider or has no price here; send the content itself, or ask the operator for a channel whose setting allow_provider_objects is true`,
  )
}
