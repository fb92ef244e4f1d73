import { Text } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useIsRoot } from '../../core/session.ts'
import { Opens } from '../../parts/opens.tsx'

/** A feature that the operator has not set up yet. The super administrator is led to its settings. */
export function NotSetUp({ text, tab }: { text: string; tab: 'operation' | 'system' }) {
  const { t } = useTranslation()
  const isRoot = useIsRoot()
  return (
    <Text color="fg.muted" alignSelf="center">
      <span>{text}</span>
      {isRoot ? (
        <>
          {' '}
          <Opens>
            <Link to="/setting" search={{ tab }}>
              {t('wallet.setUp')}
            </Link>
          </Opens>
        </>
      ) : null}
    </Text>
  )
}
