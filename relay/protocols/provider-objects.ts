import { foreignText } from '@tollgate/domain/text.ts'
import type { ChannelFacts } from '../directory/facts.ts'
import { untranslatableError, type UpstreamError } from '../upstream/errors.ts'
import type { ModelRequest } from './model-request.ts'

const UNPRICED_TOOL = 'tools: '
const TOOL_NAME_MAX = 40

/** A tool that the provider runs at a price that is unknown here, among the objects of a request. */
export const unpricedTool = (name: string): string =>
  `${UNPRICED_TOOL}${foreignText(name, TOOL_NAME_MAX)}`

/**
 * The error that keeps a request from a channel; null = it may go there. The request names an object that lies with the
 * provider. Providers do not tell Tollgate's accounts apart, so the operator decides which channels allow it. `paramOf`
 * = the member to blame, where it is not the name itself.
 */
export function refusedObject(
  { providerObjects = [] }: ModelRequest,
  { allowsProviderObjects }: ChannelFacts,
  paramOf: (what: string) => string = (what) => what,
): UpstreamError | null {
  const [what] = providerObjects
  if (what === undefined || allowsProviderObjects) return null
  return untranslatableError(
    what.startsWith(UNPRICED_TOOL) ? 'tools' : paramOf(what),
    `${what} names what lies with the provider or has no price here; send the content itself, or ask the operator for a channel whose setting allow_provider_objects is true`,
  )
}
