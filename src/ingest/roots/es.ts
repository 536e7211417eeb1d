import type { RootRule } from '#ingest/roots/rule'

const HTTP = '(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|ALL|fallback)'

/** JavaScript, TypeScript. */
export const ES: readonly RootRule[] = [
  {
    kind: 'language_protocol',
    of: 'function',
    member: true,
    name: /^(?:constructor|toString|toJSON|valueOf|toLocaleString|then|dispose|asyncDispose|\[?Symbol\.\w+\]?|iterator|asyncIterator|hasInstance|toPrimitive|toStringTag)$/,
  },
  // pages and handlers found by the place of their file
  {
    kind: 'file_route',
    tags: ['route'],
    of: 'any',
    exported: true,
    path: /(?:^|\/)pages\/(?:.*\/)?[^/]+\.[cm]?[jt]sx?$/,
    name: new RegExp(
      `^(?:default|getServerSideProps|getStaticProps|getStaticPaths|getInitialProps|config|prerender|${HTTP}|[A-Z]\\w*|handler)$`,
    ),
  },
  {
    kind: 'file_route',
    tags: ['route'],
    of: 'any',
    exported: true,
    path: /(?:^|\/)app\/(?:.*\/)?(?:page|layout|route|loading|error|global-error|not-found|template|default|forbidden|unauthorized|sitemap|robots|manifest|icon|apple-icon|opengraph-image|twitter-image)\.[cm]?[jt]sx?$/,
  },
  {
    kind: 'framework_configuration',
    of: 'any',
    exported: true,
    path: /(?:^|\/)(?:src\/)?(?:middleware|instrumentation(?:-client)?|proxy|mdx-components)\.[cm]?[jt]sx?$/,
  },
  {
    kind: 'file_route',
    tags: ['route'],
    of: 'any',
    exported: true,
    path: /(?:^|\/)app\/(?:routes\/.*|root|entry\.(?:client|server))\.[cm]?[jt]sx?$/,
    name: /^(?:default|loader|action|clientLoader|clientAction|meta|links|headers|handle|ErrorBoundary|HydrateFallback|CatchBoundary|Layout|shouldRevalidate|middleware|handleRequest|handleError|handleDataRequest|[A-Z]\w*)$/,
  },
  {
    kind: 'file_route',
    tags: ['route'],
    of: 'any',
    exported: true,
    path: /(?:^|\/)\+(?:page|layout|server|error)(?:@\w*)?(?:\.server)?\.[cm]?[jt]s$/,
  },
  {
    kind: 'framework_hook',
    of: 'any',
    exported: true,
    path: /(?:^|\/)src\/(?:hooks(?:\.(?:server|client))?|service-worker)\.[cm]?[jt]s$|(?:^|\/)src\/params\/\w+\.[cm]?[jt]s$/,
  },
  {
    kind: 'file_route',
    tags: ['route'],
    of: 'any',
    exported: true,
    path: /(?:^|\/)server\/(?:api|routes|middleware|plugins)\/.*\.[cm]?[jt]s$/,
  },
  {
    kind: 'framework_plugin',
    of: 'any',
    exported: true,
    imports: /^(?:#app|#imports|nuxt|nuxt\/app|nitropack.*|@nuxt\/.*)$/,
    path: /(?:^|\/)(?:plugins|middleware|modules|composables|layouts)\//,
  },
  {
    kind: 'tool_configuration',
    of: 'any',
    exported: true,
    path: /(?:^|\/)(?:[\w.-]+\.config(?:\.\w+)?|gulpfile|Gruntfile|\.\w+rc|karma\.conf|wdio\.conf)\.[cm]?[jt]s$/,
  },
  { kind: 'component_catalogue', of: 'any', exported: true, path: /\.stories\.[cm]?[jt]sx?$|(?:^|\/)\.storybook\// },
  {
    kind: 'database_migration',
    of: 'function',
    path: /(?:^|\/)(?:migrations|seeds|seeders)\//,
    name: /^(?:up|down|seed|run|change)$/,
  },
  // tests
  {
    kind: 'test_runner',
    of: 'any',
    exported: true,
    path: /(?:^|\/)(?:(?:jest|vitest|global|test)[\w.-]*[-.]?(?:setup|teardown)|setupTests|__mocks__\/[^/]+)[\w.-]*\.[cm]?[jt]sx?$|(?:^|\/)__mocks__\//,
  },
  // lifecycles
  {
    kind: 'component_lifecycle',
    of: 'function',
    member: true,
    base: /^(?:React\.)?(?:Component|PureComponent)$/,
    name: /^(?:render|component(?:DidMount|WillMount|DidUpdate|WillUpdate|WillUnmount|DidCatch|WillReceiveProps)|UNSAFE_\w+|shouldComponentUpdate|getSnapshotBeforeUpdate|getDerivedState\w+|getChildContext)$/,
  },
  {
    kind: 'component_lifecycle',
    of: 'function',
    member: true,
    name: /^ng(?:OnInit|OnDestroy|OnChanges|DoCheck|After(?:Content|View)(?:Init|Checked))$/,
  },
  {
    kind: 'component_lifecycle',
    of: 'function',
    imports: /^@angular\//,
    member: true,
    name: /^(?:writeValue|registerOnChange|registerOnTouched|setDisabledState|transform|intercept|resolve|canActivate|canActivateChild|canDeactivate|canLoad|canMatch|validate|handleError|ngDoBootstrap)$/,
  },
  {
    kind: 'component_lifecycle',
    of: 'function',
    member: true,
    name: /^(?:connectedCallback|disconnectedCallback|attributeChangedCallback|adoptedCallback|connectedMoveCallback|form(?:Associated|Disabled|Reset|StateRestore)Callback)$/,
  },
  {
    kind: 'component_lifecycle',
    of: 'function',
    imports: /^(?:lit|lit-element|@polymer\/)/,
    member: true,
    name: /^(?:render|willUpdate|updated|firstUpdated|shouldUpdate|update|createRenderRoot)$/,
  },
  {
    kind: 'component_lifecycle',
    of: 'function',
    name: /^(?:beforeCreate|created|beforeMount|mounted|beforeUpdate|updated|beforeUnmount|unmounted|beforeDestroy|destroyed|activated|deactivated|errorCaptured|serverPrefetch|beforeRouteEnter|beforeRouteUpdate|beforeRouteLeave)$/,
    member: true,
    imports: /^(?:vue|vue-class-component|vue-property-decorator|@vue\/)/,
  },
  {
    kind: 'service_lifecycle',
    of: 'function',
    imports: /^@nestjs\//,
    member: true,
    name: /^(?:onModuleInit|onModuleDestroy|onApplicationBootstrap|onApplicationShutdown|beforeApplicationShutdown|configure|canActivate|intercept|transform|catch|use|validate|handleConnection|handleDisconnect|afterInit|createTypeOrmOptions|execute|handle)$/,
  },
  // decorators
  {
    kind: 'http_route',
    tags: ['route'],
    of: 'function',
    marker:
      /^(?:\w+\.)?(?:Get|Post|Put|Delete|Patch|Options|Head|All|Sse|Search|Route|HttpGet|HttpPost|HttpPut|HttpDelete|httpGet|httpPost|httpPut|httpDelete|httpPatch)$/,
  },
  {
    kind: 'message_handler',
    of: 'function',
    marker:
      /^(?:MessagePattern|EventPattern|SubscribeMessage|GrpcMethod|GrpcStreamMethod|OnEvent|OnQueue\w+|OnWorkerEvent|Process|Processor|HostListener|Listen|EventListener|Subscribe|RabbitSubscribe|RabbitRPC|SqsMessageHandler)$/,
  },
  {
    kind: 'graph_query',
    of: 'any',
    marker:
      /^(?:Query|Mutation|Subscription|ResolveField|FieldResolver|ResolveReference|Resolver|ObjectType|InputType|ArgsType|InterfaceType)$/,
  },
  { kind: 'scheduler', of: 'function', marker: /^(?:Cron|Interval|Timeout|Scheduled)$/ },
  {
    kind: 'dependency_injection',
    of: 'any',
    marker:
      /^(?:Controller|RestController|JsonController|controller|Injectable|injectable|Service|Module|NgModule|Component|Directive|Pipe|Catch|WebSocketGateway|Repository|EventSubscriber|Middleware|Interceptor|Singleton|singleton|provide|autoInjectable|EventsHandler|CommandHandler|QueryHandler|Console|Command|customElement)$/,
  },
  {
    kind: 'object_mapper',
    of: 'any',
    marker:
      /^(?:Entity|ViewEntity|ChildEntity|Embeddable|Schema|Table|Model|(?:Before|After)(?:Insert|Update|Remove|Load|SoftRemove|Recover|Create|Delete)|pre|post|Transform|Validate\w*|ValidatorConstraint)$/,
  },
  // platforms
  {
    kind: 'serverless_platform',
    of: 'any',
    exported: true,
    name: /^(?:handler|lambdaHandler|onRequest(?:Get|Post|Put|Patch|Delete|Head|Options)?)$/,
  },
  {
    kind: 'serverless_platform',
    of: 'function',
    path: /(?:^|\/)(?:src\/)?(?:index|worker|server)\.[cm]?[jt]s$/,
    within: /^(?:default|worker|index|server)$/,
    name: /^(?:fetch|scheduled|queue|email|tail)$/,
  },
  {
    kind: 'editor_extension',
    of: 'function',
    imports: /^(?:vscode|coc\.nvim|atom)$/,
    exported: true,
    name: /^(?:activate|deactivate|extendMarkdownIt)$/,
  },
  { kind: 'syntax_visitor', of: 'function', member: true, base: /Visitor$/, name: /^(?:visit|enter|exit)\w*$/ },
]

/** Decorators that do not call what they are given by themselves. */
export const PLAIN_ES =
  /^(?:override|deprecated|Deprecated|readonly|Input|Output|ViewChild|ViewChildren|ContentChild|ContentChildren|HostBinding|Optional|Self|SkipSelf|Inject|inject|Prop|Param|Body|Query|Headers|Req|Res|observable|computed|action|memoize|bound|autobind|nonenumerable|enumerable|sealed|frozen|Column|PrimaryGeneratedColumn|ManyToOne|OneToMany|OneToOne|ManyToMany|JoinColumn|Field|Arg|Args|Ctx|Is\w+|property|state|query|Api\w+)$/
