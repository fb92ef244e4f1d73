import { Box, chakra, Flex } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../copy-button.tsx'

/**
 * Code to read and copy; long lines scroll inside the block, never the page. `copied` is what is copied where that is
 * not what is shown: a secret that is hidden on the screen.
 */
export function CodeBlock({
  code,
  label,
  copied = code,
}: {
  code: string
  label: string
  copied?: string
}) {
  const { t } = useTranslation()
  return (
    <Box borderWidth="1px" borderColor="border" borderRadius="l2" bg="bg.subtle" minW="0">
      <Flex
        px="3"
        py="1"
        align="center"
        justify="space-between"
        borderBottomWidth="1px"
        borderColor="border"
      >
        <chakra.span fontSize="xs" color="fg.muted" fontWeight="500">
          {label}
        </chakra.span>
        <CopyButton text={copied} label={t('copy.code', { name: label })} />
      </Flex>
      <chakra.pre
        p="3"
        overflowX="auto"
        // A phone shows all of it: what is cut off at the side looks like the end.
        whiteSpace={{ base: 'pre-wrap', sm: 'pre' }}
        overflowWrap="anywhere"
        fontFamily="mono"
        fontSize="xs"
        lineHeight="1.6"
        tabIndex={0}
        aria-label={label}
      >
        {code}
      </chakra.pre>
    </Box>
  )
}
