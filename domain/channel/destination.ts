import type { ChannelTerms } from './events.ts'

/**
 * Where a channel's key is sent: the provider, whose own addresses a type stands for, and the server in the address of
 * the channel's own, if any. Another path of the same server is the same place.
 */
export const destinationOf = ({ type, baseUrl }: Pick<ChannelTerms, 'type' | 'baseUrl'>): string =>
  `${type} ${originOf(baseUrl)}`

/**
 * Whether a key may go where the terms lead. A key goes only to the destination it was given for, whatever happens
 * meanwhile to the channel. Null = given before destinations were noted, when terms and key were read together.
 */
export const mayFollow = (
  givenFor: string | null,
  terms: Pick<ChannelTerms, 'type' | 'baseUrl'>,
): boolean => givenFor === null || givenFor === destinationOf(terms)

const originOf = (baseUrl: string): string => {
  const address = baseUrl.trim()
  return URL.canParse(address) ? new URL(address).origin : address
}
