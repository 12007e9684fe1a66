import { ArrowRight } from 'lucide-react'

export const Arrow = () => (
  <ArrowRight className="size-4.5 shrink-0 transition-transform duration-300 group-hover:translate-x-1" />
)
