import { Box, Flex, Input } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { Card } from '../../parts/card.tsx'
import { Count } from '../../parts/count.tsx'
import { EventLink } from '../../parts/event-link.tsx'
import { ExactMoney } from '../../parts/exact-money.tsx'
import { Facts } from '../../parts/facts.tsx'
import { MomentInput } from '../../parts/moment-input.tsx'
import { Opens } from '../../parts/opens.tsx'
import { ErrorState } from '../../parts/states.tsx'
import { momentText, readMoment } from '../../parts/time-format.ts'
import { OpenHolds } from './open-holds.tsx'
import { type AsOfPlace, balanceQuery } from './queries.ts'

/** The account's balance right before any moment, or right after any event of the log. */
export function AsOf({ user, initial }: { user: number | undefined; initial: number }) {
  const { t } = useTranslation()
  const [asked, setAsked] = useState<AsOfPlace>({ at: Math.floor(initial / 1000) * 1000 })
  const [hasHolds, setHolds] = useState(false)
  const query = useQuery(balanceQuery(user, asked))
  const balance = query.data
  const amount = (value: number | undefined) =>
    value === undefined ? '–' : <ExactMoney value={value} />
  return (
    <Card isBesideChart title={t('statement.asOf')} description={t('statement.asOfHelp')}>
      <Flex direction="column" gap="3">
        <Fields initial={initial} onAsk={setAsked} />
        {query.error ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Facts
            facts={[
              { label: t('statement.posted'), value: amount(balance?.posted) },
              {
                label: t('statement.held'),
                value:
                  balance && balance.held > 0 ? (
                    <Opens>
                      <button
                        type="button"
                        aria-expanded={hasHolds}
                        onClick={() => setHolds(!hasHolds)}
                      >
                        {amount(balance.held)}
                      </button>
                    </Opens>
                  ) : (
                    amount(balance?.held)
                  ),
              },
              { label: t('statement.available'), value: amount(balance?.available) },
              { label: t('statement.affiliate'), value: amount(balance?.affiliate) },
              {
                label: t('statement.lastEntry'),
                value: 'at' in asked && balance ? <LastEntry position={balance.position} /> : null,
              },
            ]}
          />
        )}
        {hasHolds && balance && balance.held > 0 ? <OpenHolds user={user} asOf={asked} /> : null}
        <Box fontSize="xs" color="fg.muted" as="output">
          {balance === undefined
            ? ''
            : t(balance.final ? 'statement.isFinal' : 'statement.notFinal')}
        </Box>
      </Flex>
    </Card>
  )
}

/** The moment or the position that is asked about: whichever was typed last. */
function Fields({ initial, onAsk }: { initial: number; onAsk: (asked: AsOfPlace) => void }) {
  const { t } = useTranslation()
  const ids = { moment: useId(), position: useId() }
  const [typed, setTyped] = useState(() => momentText(Math.floor(initial / 1000)))
  const [position, setPosition] = useState('')
  const isPosition = /^\d{1,15}$/.test(position.trim())
  const askPosition = () => isPosition && onAsk({ position: Number(position) })
  return (
    <>
      <Flex direction="column" gap="1.5">
        <label htmlFor={ids.moment}>{t('statement.moment')}</label>
        <MomentInput
          id={ids.moment}
          size="sm"
          value={typed}
          isInvalid={position === '' && readMoment(typed) === null}
          onChange={(text) => {
            setTyped(text)
            setPosition('')
          }}
          onDone={(text) => {
            const chosen = readMoment(text)
            if (position === '' && chosen !== null) onAsk({ at: chosen * 1000 })
          }}
        />
      </Flex>
      <Flex direction="column" gap="1.5">
        <label htmlFor={ids.position}>{t('statement.position')}</label>
        <Input
          id={ids.position}
          size="sm"
          inputMode="numeric"
          autoComplete="off"
          fontVariantNumeric="tabular-nums"
          value={position}
          onChange={(event) => {
            setPosition(event.target.value)
            setTyped('')
          }}
          onBlur={askPosition}
          onKeyDown={(event) => event.key === 'Enter' && askPosition()}
          {...(position === '' || isPosition ? {} : { 'aria-invalid': true })}
        />
      </Flex>
    </>
  )
}

/** The last event that is in a balance, which administrators may open; none is before the first. */
function LastEntry({ position }: { position: number }) {
  const isAdmin = useIsAdmin()
  if (position < 0) return '–'
  return isAdmin ? <EventLink position={position} /> : <Count value={position} />
}
