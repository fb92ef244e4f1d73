import { Box, CloseButton, Flex } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { get } from '../../core/api.ts'
import { LazyMarkdown } from '../../parts/markdown/lazy-markdown.tsx'

/** The local key of the notice that was last put away, from the console's contract. */
const SEEN_KEY = 'notice'

/** The operator's announcement in Markdown, until it is put away; a changed one shows again. */
export function NoticeBar() {
  const { t } = useTranslation()
  const notice = useQuery({ queryKey: ['notice'], queryFn: () => get('/api/notice') })
  const [seen, setSeen] = useState(() => localStorage.getItem(SEEN_KEY))
  const text = notice.data
  if (!text || text === seen) return null
  const close = () => {
    localStorage.setItem(SEEN_KEY, text)
    setSeen(text)
  }
  return (
    <Flex
      as="section"
      aria-label={t('home.notice')}
      bg="teal.subtle"
      color="teal.fg"
      px="4"
      py="2"
      gap="3"
      align="flex-start"
    >
      <Box flex="1" minW="0">
        <LazyMarkdown text={text} />
      </Box>
      <CloseButton size="2xs" aria-label={t('action.close')} onClick={close} />
    </Flex>
  )
}
