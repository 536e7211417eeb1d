/** Patterns of ECMAScript and TypeScript. */

export const QUERY = `
(class_declaration name: (type_identifier) @name body: (class_body) @body) @class
(abstract_class_declaration name: (type_identifier) @name body: (class_body) @body) @class
(class name: (type_identifier)? @name body: (class_body) @body) @classexpr
(extends_clause value: (_) @base type_arguments: (_)? @args) @extends
(implements_clause (_) @base) @implements
(extends_type_clause type: (_) @base) @extends
(interface_declaration name: (type_identifier) @name body: (_) @body) @interface
(type_alias_declaration name: (type_identifier) @name value: (_) @value) @type
(enum_declaration name: (identifier) @name) @enum
(function_declaration name: (identifier) @name parameters: (formal_parameters) @params return_type: (_)? @result) @fn
(generator_function_declaration name: (identifier) @name parameters: (formal_parameters) @params return_type: (_)? @result) @fn
(function_signature name: (identifier) @name parameters: (formal_parameters) @params return_type: (_)? @result) @fn
(method_definition name: (_) @name parameters: (formal_parameters) @params return_type: (_)? @result) @method
(method_signature name: (_) @name parameters: (formal_parameters) @params return_type: (_)? @result) @method
(abstract_method_signature name: (_) @name parameters: (formal_parameters) @params return_type: (_)? @result) @method
(call_signature parameters: (formal_parameters) @params return_type: (_)? @result) @signature
(property_signature name: (_) @name type: (type_annotation)? @type) @property
(public_field_definition name: (_) @name type: (type_annotation)? @type value: (_)? @value) @field
(variable_declarator name: (_) @name type: (type_annotation)? @type value: (_)? @value) @variable
(arrow_function parameters: (formal_parameters) @params return_type: (_)? @result) @function
(arrow_function parameter: (identifier) @params) @function
(function_expression name: (identifier)? @name parameters: (formal_parameters) @params return_type: (_)? @result) @function
(generator_function parameters: (formal_parameters) @params return_type: (_)? @result) @function
(pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)] @value) @pair
(assignment_expression left: (member_expression) @left right: (_) @right) @assign
(assignment_expression left: (identifier) @left right: (_) @right) @assign
(internal_module name: (_) @name body: (_)? @body) @namespace
(module name: (_) @name body: (_)? @body) @namespace
(import_statement) @import
(import_alias) @import
(export_statement) @export
(call_expression function: (_) @callee arguments: (_) @args) @call
(pair key: (_) @name value: (object) @value) @object
(new_expression constructor: (_) @callee arguments: (_)? @args) @new
(return_statement (_) @value) @return
(decorator (_) @value) @decorator
(type_identifier) @typename
(nested_type_identifier) @typename
(predefined_type) @word
(type_parameter name: (type_identifier) @name constraint: (constraint)? @constraint) @typeparam
(for_in_statement left: (_) @left right: (_) @right) @for
(catch_clause parameter: (identifier) @name) @catch
(if_statement condition: (parenthesized_expression (false)) consequence: (_) @body) @never
(comment) @comment
(string) @string
(template_string) @string
(regex) @string
(ERROR) @error
`

/** What only files with elements have. */
export const JSX_QUERY = `
(jsx_opening_element name: (_) @name) @jsx
(jsx_self_closing_element name: (_) @name) @jsx
(jsx_closing_element name: (_) @name) @closing
(jsx_text) @string
`
