import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.type.*;
import javax.lang.model.util.*;
import javax.tools.*;

/** Prints what javac knows of the sources below a folder: java Truth.java ROOT. Needs a development kit only. */
public final class Truth {
  private static final List<String> definitions = new ArrayList<>();
  private static final List<String> references = new ArrayList<>();
  private static final List<String> inherits = new ArrayList<>();
  private static final List<String> dispatch = new ArrayList<>();
  private static final List<String> unknown = new ArrayList<>();
  private static final Map<Element, String> ids = new HashMap<>();
  private static Path root;

  public static void main(String[] args) throws IOException {
    root = Paths.get(args[0]).toRealPath();
    List<Path> files;
    try (Stream<Path> walk = Files.walk(root)) {
      files =
          walk.filter(it -> it.toString().endsWith(".java"))
              .filter(it -> !it.endsWith("module-info.java") && !it.endsWith("package-info.java"))
              .sorted()
              .collect(Collectors.toList());
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    List<String> options = new ArrayList<>(List.of("-proc:none", "-Xlint:none", "-Xmaxerrs", "0"));
    if (args.length > 1) options.addAll(List.of("-classpath", args[1]));
    JavacTask task =
        (JavacTask)
            compiler.getTask(
                new StringWriter(), manager, it -> {}, options, null, manager.getJavaFileObjectsFromPaths(files));
    List<CompilationUnitTree> units = new ArrayList<>();
    for (CompilationUnitTree it : task.parse()) units.add(it);
    task.analyze();
    Trees trees = Trees.instance(task);
    for (CompilationUnitTree unit : units) new Definitions(trees, unit).scan(unit, null);
    for (CompilationUnitTree unit : units) new Uses(trees, unit, task.getElements(), task.getTypes()).scan(unit, null);
    String names = units.stream().map(Truth::fileOf).sorted().map(Truth::quoted).collect(Collectors.joining(","));
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    out.print("{\"files\":[" + names + "],\"definitions\":[" + String.join(",\n", definitions));
    out.print("],\"references\":[" + String.join(",\n", references) + "],\"dependencies\":[],\"inherits\":[");
    out.print(String.join(",\n", inherits) + "],\"dispatch\":[" + String.join(",\n", dispatch));
    out.println("],\"unknown\":[" + String.join(",\n", unknown) + "]}");
    out.flush();
  }

  private static String fileOf(CompilationUnitTree unit) {
    return root.relativize(Paths.get(unit.getSourceFile().toUri())).toString().replace('\\', '/');
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** Keeps the enclosing definition of what is visited. */
  private abstract static class Visitor extends TreePathScanner<Void, Void> {
    final Trees trees;
    final CompilationUnitTree unit;
    final String file;

    Visitor(Trees trees, CompilationUnitTree unit) {
      this.trees = trees;
      this.unit = unit;
      file = fileOf(unit);
    }

    long start(Tree tree) {
      return trees.getSourcePositions().getStartPosition(unit, tree);
    }

    long line(long position) {
      return position < 0 ? 0 : unit.getLineMap().getLineNumber(position);
    }

    /** The id of the innermost definition around the current path, null at the top. */
    String around() {
      for (TreePath at = getCurrentPath(); at != null; at = at.getParentPath()) {
        Tree leaf = at.getLeaf();
        if (!(leaf instanceof ClassTree || leaf instanceof MethodTree)) continue;
        String id = ids.get(trees.getElement(at));
        if (id != null) return id;
      }
      return null;
    }
  }

  private static final class Definitions extends Visitor {
    private final Deque<String> names = new ArrayDeque<>();

    Definitions(Trees trees, CompilationUnitTree unit) {
      super(trees, unit);
    }

    private void define(Tree tree, String kind, String name, boolean required, boolean nested) {
      long start = start(tree);
      long end = trees.getSourcePositions().getEndPosition(unit, tree);
      if (start < 0 || end < 0) return;
      String parent = null;
      TreePath above = getCurrentPath().getParentPath();
      for (; above != null && parent == null; above = above.getParentPath())
        if (above.getLeaf() instanceof ClassTree || above.getLeaf() instanceof MethodTree)
          parent = ids.get(trees.getElement(above));
      Element element = trees.getElement(getCurrentPath());
      String id = file + ":" + start + ":" + name;
      if (element != null) ids.put(element, id);
      String text = unit.getSourceFile() == null ? "" : textOf(start, end);
      int at = text.indexOf(name);
      String qualified = String.join(".", (Iterable<String>) names::descendingIterator);
      definitions.add(
          String.format(
              "{\"id\":%s,\"file\":%s,\"kind\":%s,\"name\":%s,\"qualified\":%s,\"start\":%d,\"end\":%d,\"line\":%d,\"required\":%b,\"nested\":%b%s}",
              quoted(id), quoted(file), quoted(kind), quoted(name),
              quoted((qualified.isEmpty() ? "" : qualified + ".") + name),
              line(start), line(end), line(nameAt(tree, start, at)), required, nested,
              parent == null ? "" : ",\"parent\":" + quoted(parent)));
    }

    private long nameAt(Tree tree, long start, int found) {
      if (tree instanceof MethodTree) {
        MethodTree method = (MethodTree) tree;
        if (method.getReturnType() != null) {
          long end = trees.getSourcePositions().getEndPosition(unit, method.getReturnType());
          if (end > 0) return end + 1;
        }
        return Math.max(start, trees.getSourcePositions().getEndPosition(unit, method.getModifiers()) + 1);
      }
      if (tree instanceof ClassTree)
        return Math.max(start, trees.getSourcePositions().getEndPosition(unit, ((ClassTree) tree).getModifiers()) + 1);
      return start;
    }

    private String textOf(long start, long end) {
      try {
        return unit.getSourceFile().getCharContent(true).subSequence((int) start, (int) end).toString();
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }

    private boolean inMethod() {
      for (TreePath at = getCurrentPath().getParentPath(); at != null; at = at.getParentPath())
        if (at.getLeaf() instanceof MethodTree || at.getLeaf() instanceof LambdaExpressionTree) return true;
      return false;
    }

    @Override
    public Void visitClass(ClassTree tree, Void none) {
      String name = tree.getSimpleName().toString();
      if (name.isEmpty()) return super.visitClass(tree, none);
      String kind =
          switch (tree.getKind()) {
            case INTERFACE, ANNOTATION_TYPE -> "interface";
            case ENUM -> "enum";
            default -> "class";
          };
      define(tree, kind, name, true, inMethod());
      names.push(name);
      super.visitClass(tree, none);
      names.pop();
      return null;
    }

    @Override
    public Void visitMethod(MethodTree tree, Void none) {
      boolean isConstructor = tree.getName().contentEquals("<init>");
      boolean isAnonymous = ((ClassTree) getCurrentPath().getParentPath().getLeaf()).getSimpleName().length() == 0;
      // constructors that nobody wrote have no place of their own
      if (isConstructor && start(tree) == start(getCurrentPath().getParentPath().getLeaf())) return null;
      if (isConstructor) {
        // a constructor is told from its class by its place, and bears its name
        String owner = ((ClassTree) getCurrentPath().getParentPath().getLeaf()).getSimpleName().toString();
        define(tree, "method", owner, false, inMethod());
      } else define(tree, "method", tree.getName().toString(), !isAnonymous, inMethod());
      names.push(tree.getName().toString());
      super.visitMethod(tree, none);
      names.pop();
      return null;
    }

    @Override
    public Void visitVariable(VariableTree tree, Void none) {
      if (getCurrentPath().getParentPath().getLeaf() instanceof ClassTree)
        define(tree, "field", tree.getName().toString(), false, inMethod());
      return super.visitVariable(tree, none);
    }
  }

  private static final class Uses extends Visitor {
    private final Elements elements;
    private final Types types;

    Uses(Trees trees, CompilationUnitTree unit, Elements elements, Types types) {
      super(trees, unit);
      this.elements = elements;
      this.types = types;
    }

    private void use(Tree tree, String name, String kind) {
      Element element = trees.getElement(getCurrentPath());
      if (element == null || element.asType().getKind() == TypeKind.ERROR) {
        if (!name.isEmpty())
          unknown.add(String.format("{\"file\":%s,\"name\":%s%s}", quoted(file), quoted(name), from()));
        return;
      }
      if (element.getKind() == ElementKind.CONSTRUCTOR) {
        // another constructor of the same class is no use of it, and a call that nobody wrote is none at all
        if (name.equals("this") || (name.equals("super") && !isWritten(tree, name))) return;
        // a constructor means its class
        element = element.getEnclosingElement();
      }
      String to = ids.get(element);
      if (to == null) return;
      String type = element.getKind().isClass() || element.getKind().isInterface() ? "type" : "value";
      references.add(
          String.format(
              "{\"file\":%s,\"to\":%s,\"kind\":%s,\"line\":%d%s}",
              quoted(file), quoted(to), quoted(kind.isEmpty() ? type : kind), line(start(tree)), from()));
    }

    private String from() {
      String id = around();
      return id == null ? "" : ",\"from\":" + quoted(id);
    }

    private boolean isCalled(Tree tree) {
      TreePath above = getCurrentPath().getParentPath();
      return above != null
          && above.getLeaf() instanceof MethodInvocationTree
          && ((MethodInvocationTree) above.getLeaf()).getMethodSelect() == tree;
    }

    private boolean isImport() {
      for (TreePath at = getCurrentPath(); at != null; at = at.getParentPath())
        if (at.getLeaf() instanceof ImportTree) return true;
      return false;
    }

    private boolean isWritten(Tree tree, String name) {
      try {
        long at = start(tree);
        CharSequence text = unit.getSourceFile().getCharContent(true);
        return at >= 0 && text.subSequence((int) at, text.length()).toString().startsWith(name);
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }

    private boolean isMade(Tree tree) {
      TreePath above = getCurrentPath().getParentPath();
      if (above != null && above.getLeaf() instanceof ParameterizedTypeTree) {
        tree = above.getLeaf();
        above = above.getParentPath();
      }
      return above != null
          && above.getLeaf() instanceof NewClassTree
          && ((NewClassTree) above.getLeaf()).getIdentifier() == tree;
    }

    private String kindOf(Tree tree) {
      return isCalled(tree) ? "call" : isMade(tree) ? "new" : isImport() ? "import" : "";
    }

    @Override
    public Void visitIdentifier(IdentifierTree tree, Void none) {
      use(tree, tree.getName().toString(), kindOf(tree));
      return super.visitIdentifier(tree, none);
    }

    @Override
    public Void visitMemberSelect(MemberSelectTree tree, Void none) {
      use(tree, tree.getIdentifier().toString(), kindOf(tree));
      return super.visitMemberSelect(tree, none);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree tree, Void none) {
      use(tree, tree.getName().toString(), "");
      return super.visitMemberReference(tree, none);
    }

    @Override
    public Void visitClass(ClassTree tree, Void none) {
      Element element = trees.getElement(getCurrentPath());
      if (element instanceof TypeElement) {
        TypeElement type = (TypeElement) element;
        String own = ids.get(type);
        List<TypeMirror> bases = new ArrayList<>(type.getInterfaces());
        bases.add(type.getSuperclass());
        for (TypeMirror base : bases) {
          String to = ids.get(types.asElement(base));
          if (own != null && to != null)
            inherits.add(String.format("{\"from\":%s,\"to\":%s}", quoted(own), quoted(to)));
        }
        for (ExecutableElement method : ElementFilter.methodsIn(type.getEnclosedElements())) overrides(type, method);
      }
      return super.visitClass(tree, none);
    }

    private void overrides(TypeElement type, ExecutableElement method) {
      String own = ids.get(method);
      if (own == null) return;
      Deque<TypeMirror> above = new ArrayDeque<>(types.directSupertypes(type.asType()));
      Set<Element> seen = new HashSet<>();
      while (!above.isEmpty()) {
        Element base = types.asElement(above.pop());
        if (!(base instanceof TypeElement) || !seen.add(base)) continue;
        above.addAll(types.directSupertypes(base.asType()));
        for (ExecutableElement declared : ElementFilter.methodsIn(base.getEnclosedElements()))
          if (ids.containsKey(declared) && elements.overrides(method, declared, type))
            dispatch.add(
                String.format(
                    "{\"declared\":%s,\"implementing\":%s}", quoted(ids.get(declared)), quoted(own)));
      }
    }
  }
}
