import { chakra, Flex } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import type { Attempt } from '../../parts/charge/charge.ts'

/** Attempts after one another, as long as each took; none where their times were not noted. */
export function AttemptBar({ attempts }: { attempts: readonly Attempt[] }) {
  const { t } = useTranslation()
  const timed = attempts.filter((attempt) => attempt.ms !== null)
  if (timed.length === 0) return null
  return (
    <Flex as="figure" gap="2px" mb="2" h="22px" aria-label={t('charge.attempts')}>
      {timed.map((attempt, index) => (
        <chakra.span
          // oxlint-disable-next-line react/no-array-index-key -- one channel may be tried twice; its place tells.
          key={index}
          flexGrow={Math.max(attempt.ms ?? 0, 1)}
          flexBasis="6px"
          borderRadius="l1"
          bg={attempt.why === null && attempt.code === null ? 'teal.solid' : 'red.solid'}
          data-hint={t('charge.attemptOf', {
            name: attempt.channel_name || attempt.channel_id,
            ms: attempt.ms ?? 0,
          })}
        />
      ))}
    </Flex>
  )
}
