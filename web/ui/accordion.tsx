import { Plus } from 'lucide-react'
import { type ReactNode, useId } from 'react'

/** Native accordion with one answer open at a time; works before any script loads. */
export function Accordion({ items }: { items: { title: string; content: ReactNode }[] }) {
  const group = useId()
  return (
    <div className="divide-y divide-line border-y border-line">
      {items.map(({ title, content }) => (
        <details key={title} name={group} className="group">
          <summary className="flex cursor-pointer list-none items-center justify-between gap-6 py-5 text-lg font-medium">
            {title}
            <Plus
              aria-hidden="true"
              className="size-5 shrink-0 text-muted transition-transform duration-200 group-open:rotate-45"
            />
          </summary>
          <div className="max-w-prose pb-6 text-muted group-open:animate-fade">{content}</div>
        </details>
      ))}
    </div>
  )
}
