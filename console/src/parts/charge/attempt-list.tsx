import { chakra, Text } from '@chakra-ui/react'
import { useDuration } from '../use-duration.ts'
import { ChannelLink } from './channel-link.tsx'
import type { Attempt } from './charge.ts'

/** The channels that a request was sent to, in order. */
export const AttemptList = ({ attempts }: { attempts: readonly Attempt[] }) => (
  <chakra.ol listStyleType="none" display="grid" gap="1.5">
    {attempts.map((attempt, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- one channel may be tried twice; its place tells.
      <li key={index}>
        <Tried attempt={attempt} />
      </li>
    ))}
  </chakra.ol>
)

/** A channel, and how it did where that was noted. */
function Tried({ attempt }: { attempt: Attempt }) {
  const duration = useDuration()
  const { status, code, why, ms } = attempt
  const end = [status, code, ms === null ? null : duration(ms)].filter((part) => part !== null)
  return (
    <>
      <ChannelLink id={attempt.channel_id} name={attempt.channel_name} />
      {end.length > 0 ? (
        <Text color="fg.muted" fontSize="xs">
          {end.join(' · ')}
        </Text>
      ) : null}
      {why ? (
        <Text color="fg.muted" fontSize="xs">
          {why}
        </Text>
      ) : null}
    </>
  )
}
