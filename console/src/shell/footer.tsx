import { Box, Flex } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { statusQuery } from '../core/status.ts'
import { LazyMarkdown } from '../parts/markdown/lazy-markdown.tsx'

const SOFTWARE = 'Tollgate'

/** The operator's own footer (HTML that can do no harm), else whose software this is and the public pages. */
export default function Footer() {
  const { t } = useTranslation()
  // The status of the last visit, dated as long ago, until the present one arrives.
  const { data: status, dataUpdatedAt } = useQuery(statusQuery)
  const stored = useStoredFooter()
  // The footer of the last visit stands until then, so that nothing jumps.
  const own = dataUpdatedAt > 0 ? (status?.footer_html ?? '') : stored
  const name = status?.system_name || SOFTWARE
  const version = status?.version ?? ''
  return (
    <Box
      as="footer"
      css={{ '@media print': { display: 'none' } }}
      aria-label={t('frame.footer')}
      borderTopWidth="1px"
      borderColor="border"
      px="4"
      py="3"
      color="fg.muted"
      fontSize="xs"
      textAlign="center"
    >
      {own ? (
        <LazyMarkdown text={own} />
      ) : (
        <Flex gap="4" justify="center" wrap="wrap" css={{ '& a': { textDecoration: 'underline' } }}>
          <span>
            {t(name === SOFTWARE ? 'frame.version' : 'frame.poweredBy', { name, version })}
          </span>
          <Link to="/">{t('frame.home')}</Link>
          <Link to="/pricing">{t('place.pricing')}</Link>
          <Link to="/about">{t('place.about')}</Link>
        </Flex>
      )}
    </Box>
  )
}

const LOOK_EVERY_MS = 200
const LOOKS_MAX = 5

/** The footer under its local key, which another page of the operator's may write meanwhile: five looks (seeds). */
function useStoredFooter(): string {
  const [stored, setStored] = useState(() => localStorage.getItem('footer_html') ?? '')
  useEffect(() => {
    let looks = 0
    const timer = setInterval(() => {
      const found = localStorage.getItem('footer_html') ?? ''
      looks += 1
      if (found !== '' || looks === LOOKS_MAX) clearInterval(timer)
      setStored(found)
    }, LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return stored
}
