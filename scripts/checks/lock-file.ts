type LockedPackage = {
  resolved?: string
  integrity?: string
  optionalDependencies?: Record<string, string>
}
export type LockFile = { packages: Record<string, LockedPackage> }

/** Anything that would make `npm ci` differ between machines. */
export function checkLockFile({ packages }: LockFile): string[] {
  const complaints: string[] = []
  for (const [path, locked] of Object.entries(packages)) {
    const name = path || 'this package'
    if (path && locked.resolved) complaints.push(`${name} has a download URL (see .npmrc)`)
    if (path && !locked.integrity) complaints.push(`${name} has no integrity hash`)

    for (const build of Object.keys(locked.optionalDependencies ?? {}))
      if (!packages[`node_modules/${build}`] && !packages[`${path}/node_modules/${build}`])
        complaints.push(`${name} needs ${build}, which is not in the lock file: npm ci will refuse`)
  }
  return complaints
}
