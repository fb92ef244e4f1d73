import { Box } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Opens } from '../../parts/opens.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { chargesPricedQuery } from './queries.ts'

/** How many charges a change of prices has priced, leading to the revision. */
export function PricedCharges({ position }: { position: number }) {
  const { t } = useTranslation()
  const revision = useQuery(chargesPricedQuery(position))
  if (!revision.data) return null
  return (
    <Box mb="2">
      <Opens>
        <Link to="/audit/prices" search={{ row: String(position) }}>
          {t('events.pricedCharges', { n: grouped(revision.data.charges, 0) })}
        </Link>
      </Opens>
    </Box>
  )
}
