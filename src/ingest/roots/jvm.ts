import type { RootRule } from '#ingest/roots/rule'

/** Java, Kotlin, Scala. */
export const JVM: readonly RootRule[] = [
  {
    kind: 'language_protocol',
    of: 'function',
    member: true,
    name: /^(?:toString|hashCode|equals|compareTo|finalize|clone|close|iterator|invoke|component\d+|getValue|setValue|provideDelegate|unapply|unapplySeq|apply|<init>)$/,
  },
  {
    kind: 'object_serialization',
    of: 'function',
    member: true,
    name: /^(?:readObject|writeObject|readObjectNoData|readResolve|writeReplace|readExternal|writeExternal)$/,
  },
  {
    kind: 'native_code',
    of: 'function',
    marker: /(?:^|\.)(?:CalledByNative|JvmStatic|Keep|UsedByNative|JavascriptInterface)$/,
  },
  {
    kind: 'test_runner',
    tags: ['test'],
    of: 'function',
    marker:
      /(?:^|\.)(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Theory|Property|Example|Benchmark|Fuzz|FuzzTest|ArchTest)$/,
  },
  {
    kind: 'test_runner',
    of: 'function',
    marker:
      /(?:^|\.)(?:Before|After)(?:Each|All|Class|Method|Suite|Group|Test|Invocation|Try|Property|Container)?$|(?:^|\.)(?:Rule|ClassRule|DataProvider|Parameters|DataPoint|DataPoints|Setup|TearDown|Provide|DynamicPropertySource|RegisterExtension)$/,
  },
  {
    kind: 'test_runner',
    of: 'function',
    base: /^(?:TestCase|\w*TestCase)$/,
    name: /^(?:test\w*|setUp|tearDown|suite)$/,
  },
  {
    kind: 'http_route',
    tags: ['route'],
    of: 'any',
    marker:
      /(?:^|\.)(?:RequestMapping|GetMapping|PostMapping|PutMapping|DeleteMapping|PatchMapping|MessageMapping|SubscribeMapping|QueryMapping|MutationMapping|SchemaMapping|HttpExchange|GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|Path|Get|Post|Put|Delete|Patch|Head|Options|Route|WebServlet|WebFilter|WebListener|ServerEndpoint|OnOpen|OnClose|OnMessage|OnError|ServerWebSocket)$/,
  },
  {
    kind: 'http_route',
    tags: ['route'],
    of: 'function',
    base: /HttpServlet$|Filter$/,
    name: /^(?:do(?:Get|Post|Put|Delete|Head|Options|Trace|Patch|Filter)|service|init|destroy)$/,
  },
  {
    kind: 'dependency_injection',
    of: 'any',
    marker:
      /(?:^|\.)(?:Bean|Component|Service|Repository|Controller|RestController|Configuration|TestConfiguration|AutoConfiguration|SpringBootApplication|ControllerAdvice|RestControllerAdvice|ConfigurationProperties|Autowired|Inject|Provides|Produces|Binds|BindsInstance|Module|Singleton|Named|ApplicationScoped|RequestScoped|SessionScoped|Dependent|Stateless|Stateful|MessageDriven|Startup|Factory|Introspected|HiltViewModel|HiltAndroidApp|AndroidEntryPoint|ContributesBinding|EnableAutoConfiguration|Mojo|Extension|AutoService)$/,
  },
  {
    kind: 'application_hook',
    of: 'function',
    marker:
      /(?:^|\.)(?:EventListener|TransactionalEventListener|Scheduled|Schedule|PostConstruct|PreDestroy|KafkaListener|RabbitListener|RabbitHandler|JmsListener|SqsListener|StreamListener|ServiceActivator|Observes|ObservesAsync|Incoming|Outgoing|ExceptionHandler|InitBinder|ModelAttribute|Around|AroundInvoke|Pointcut|AfterReturning|AfterThrowing|Subscribe|OnEvent|EventHandler|CommandHandler|QueryHandler|EventSourcingHandler|SagaEventHandler|ShellMethod|Command|Option|OnLifecycleEvent|Initializer|DataBoundConstructor|DataBoundSetter)$/,
  },
  {
    kind: 'object_mapper',
    of: 'any',
    marker:
      /(?:^|\.)(?:Entity|Embeddable|MappedSuperclass|Converter|Document|(?:Pre|Post)(?:Persist|Update|Remove|Load)|JsonCreator|JsonValue|JsonGetter|JsonSetter|JsonProperty|JsonAnySetter|JsonAnyGetter|JsonTypeName|FromJson|ToJson|Serializable|Dao|Database|Query|Insert|Update|Delete|Transaction|TypeConverter)$/,
  },
  {
    kind: 'android',
    of: 'any',
    base: /(?:Activity|Fragment|Service|BroadcastReceiver|ContentProvider|Application|ViewModel|Adapter|ViewHolder|View|ViewGroup|Layout|Preference|Worker|Dialog)$/,
    imports: /^(?:android|androidx)\b/,
    name: /^(?:on[A-Z]\w*|getItem\w*|getCount|getView|doWork|query|insert|update|delete|getType|draw|dispatch\w+|\w*(?:Activity|Fragment|Service|Receiver|Provider|Application|Worker))$/,
  },
  {
    kind: 'component_framework',
    of: 'function',
    marker: /(?:^|\.)(?:Composable|Preview|BindingAdapter|FXML|OnClick|Shadow)$/,
  },
  {
    kind: 'standard_interface',
    of: 'function',
    member: true,
    base: /^(?:Runnable|Callable|Thread|TimerTask|Comparator|Comparable|Iterator|Iterable|AutoCloseable|Closeable|Function|Supplier|Consumer|Predicate|InvocationHandler|FileVisitor|SimpleFileVisitor|InputStream|OutputStream|Reader|Writer)$/,
    name: /^(?:run|call|compare|hasNext|next|remove|forEachRemaining|close|accept|apply|get|test|negate|andThen|invoke|visit\w*|preVisit\w*|postVisit\w*|read|write|flush|skip|available|mark|reset|spliterator)$/,
  },
  { kind: 'program_start', tags: ['entrypoint'], of: 'type', base: /^(?:App|IOApp|ZIOAppDefault|ZIOApp)$/ },
  { kind: 'program_start', tags: ['entrypoint'], of: 'function', marker: /^main$/ },
]
