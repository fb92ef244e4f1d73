import { Box, chakra, Grid } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { Money } from '../money.tsx'
import { type RepricingSteps, waterfallBars } from './steps.ts'

const TEXTS = {
  charged: 'replays.charged',
  prices: 'replays.byPrices',
  rounding: 'replays.byRounding',
  repriced: 'replays.repriced',
} as const

/** From what was charged to what it would cost: totals stand on zero, steps where the one before ends. */
export function Waterfall({ steps }: { steps: RepricingSteps }) {
  const { t } = useTranslation()
  const bars = waterfallBars(steps)
  const most = Math.max(1, ...bars.flatMap(({ from, to }) => [from, to]))
  return (
    <Grid as="ol" gap="2" listStyleType="none" aria-label={t('replays.waterfall')}>
      {bars.map(({ step, from, to, value }) => {
        const isTotal = step === 'charged' || step === 'repriced'
        return (
          <li key={step}>
            <Grid templateColumns="minmax(0, 1fr) auto" gap="3" fontSize="sm">
              <chakra.span {...(isTotal ? { fontWeight: '600' } : {})}>
                {t(TEXTS[step])}
              </chakra.span>
              <Money value={value} {...(isTotal ? {} : { kind: 'difference' })} />
            </Grid>
            <Box position="relative" h="10px" bg="bg.muted" borderRadius="l1" aria-hidden>
              <Box
                position="absolute"
                h="full"
                borderRadius="l1"
                minW="2px"
                left={`${(Math.min(from, to) / most) * 100}%`}
                w={`${(Math.abs(to - from) / most) * 100}%`}
                bg={isTotal ? 'teal.solid' : 'fg.muted'}
              />
            </Box>
          </li>
        )
      })}
    </Grid>
  )
}
