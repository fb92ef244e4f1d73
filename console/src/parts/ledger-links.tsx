import { Flex } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Opens } from './opens.tsx'

/** Ways from a thing to what the ledger has of it: its stream of events, and postings if it has any. For administrators. */
export function LedgerLinks(props: {
  /** Such as `channel-3`. */
  stream: string
  /** The filter of the journal. */
  journal?: { user: number } | { channel: number }
}) {
  const { t } = useTranslation()
  return (
    <Flex as="span" gap="3" justify="flex-end">
      {props.journal ? (
        <Opens>
          <Link to="/audit/journal" search={props.journal}>
            {t('ledger.journal')}
          </Link>
        </Opens>
      ) : null}
      <Opens>
        <Link to="/audit/events" search={{ stream: props.stream }}>
          {t('ledger.events')}
        </Link>
      </Opens>
    </Flex>
  )
}
