import { chakra } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import ReactMarkdown from 'react-markdown'
import rehypeRaw from 'rehype-raw'
import rehypeSanitize from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'

/**
 * An operator's text in Markdown as GitHub has it, with the HTML in it that can do no harm: scripts, styles, frames and handlers are
 * taken out. Heavy for what it does: load it lazily, by `LazyMarkdown`.
 */
export default function Markdown({ text }: { text: string }) {
  return (
    <chakra.div css={LOOK}>
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[rehypeRaw, rehypeSanitize]}
        components={{ table: Table }}
      >
        {text}
      </ReactMarkdown>
    </chakra.div>
  )
}

/** A table scrolls sideways by itself where it is wider than the page. */
function Table({ children }: { children?: ReactNode }) {
  return (
    <chakra.div overflowX="auto" position="relative" tabIndex={0}>
      <table>{children}</table>
    </chakra.div>
  )
}

/** The reset of the design system takes the browser's own look of these elements away. */
const LOOK = {
  overflowWrap: 'anywhere',
  '& > * + *': { mt: '3' },
  '& h1': { fontSize: '2xl', fontWeight: '600', lineHeight: '1.25' },
  '& h2': { fontSize: 'xl', fontWeight: '600', lineHeight: '1.3' },
  '& h3, & h4, & h5, & h6': { fontWeight: '600' },
  '& ul': { listStyle: 'disc', ps: '5' },
  '& ol': { listStyle: 'decimal', ps: '5' },
  '& a': { color: 'teal.fg', textDecoration: 'underline' },
  '& code': { fontFamily: 'mono', fontSize: '0.9em' },
  '& pre': { overflowX: 'auto', p: '3', bg: 'bg.muted', borderRadius: 'sm' },
  '& blockquote': { ps: '3', borderInlineStartWidth: '2px', borderColor: 'border' },
  '& th, & td': {
    px: '3',
    py: '1.5',
    borderWidth: '1px',
    borderColor: 'border',
    overflowWrap: 'normal',
  },
  '& th': { bg: 'bg.muted', fontWeight: '600' },
  '& img': { maxW: 'full' },
} as const
