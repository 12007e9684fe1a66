type LockedPackage = {
  resolved?: string
  integrity?: string
  optionalDependencies?: Record<string, string>
}
export type LockFile = { packages: Record<string, LockedPackage> }

/** What would make `npm ci` differ from machine to machine. */
export function checkLockFile({ packages }: LockFile): string[] {
  const complaints: string[] = []
  for (const [path, locked] of Object.entries(packages)) {
    const name = path || 'this package'
    if (path && locked.resolved) complaints.push(`${name} has a download address (see .npmrc)`)
    if (path && !locked.integrity) complaints.push(`${name} has no integrity hash`)

    const optional = Object.keys(locked.optionalDependencies ?? {})
    for (const cpu of ['x64', 'arm64']) {
      // Builds for Alpine (musl) are often published late; our image is Debian.
      const builds = optional.filter((it) => new RegExp(`linux.*${cpu}(?!.*musl)`).test(it))
      if (optional.some((it) => it.includes('linux')) && builds.length === 0)
        complaints.push(`${name} has no build for linux ${cpu}`)
      for (const build of builds)
        if (!packages[`node_modules/${build}`] && !packages[`${path}/node_modules/${build}`])
          complaints.push(`${name} needs ${build}, which is not in the lock file`)
    }
  }
  return complaints
}
